import argparse
import collections
import datetime
import sys

import boto3


def client(profile, region):
    return boto3.Session(profile_name=profile, region_name=region).client("s3")


def objects(s3, bucket, prefix=""):
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        yield from page.get("Contents", [])


def age_days(entry):
    return (datetime.datetime.now(datetime.timezone.utc) - entry["LastModified"]).days


def folder(key, depth):
    return "/".join(key.split("/")[:depth]) if "/" in key else "(top)"


def human(size):
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            return f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} PiB"


def summarise(entries, depth):
    sizes, counts, oldest = collections.Counter(), collections.Counter(), {}
    for entry in entries:
        name = folder(entry["Key"], depth)
        sizes[name] += entry["Size"]
        counts[name] += 1
        oldest[name] = max(oldest.get(name, 0), age_days(entry))
    return sizes, counts, oldest


def encryption(s3, bucket):
    try:
        rules = s3.get_bucket_encryption(Bucket=bucket)["ServerSideEncryptionConfiguration"]["Rules"]
        return rules[0]["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"]
    except s3.exceptions.ClientError:
        return "none"


def public(s3, bucket):
    try:
        found = s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
        return not all(found.values())
    except s3.exceptions.ClientError:
        return True


def report(s3, bucket, prefix, depth, top):
    print(f"{bucket}: encryption {encryption(s3, bucket)}, public access {'possible' if public(s3, bucket) else 'blocked'}")
    sizes, counts, oldest = summarise(objects(s3, bucket, prefix), depth)
    for name, size in sizes.most_common(top):
        print(f"  {human(size):>12} {counts[name]:>8} objects, oldest {oldest[name]} days  {name}")
    print(f"  {human(sum(sizes.values())):>12} in total")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("buckets", nargs="*")
    parser.add_argument("--profile")
    parser.add_argument("--region", default="eu-central-1")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--depth", type=int, default=1)
    parser.add_argument("--top", type=int, default=15)
    args = parser.parse_args()
    s3 = client(args.profile, args.region)
    buckets = args.buckets or [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
    for bucket in buckets:
        report(s3, bucket, args.prefix, args.depth, args.top)


if __name__ == "__main__":
    sys.exit(main())
