import argparse
import contextlib
import logging
import sys
import time
from concurrent import futures

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

log = logging.getLogger("health")
NAMES = {0: "unknown", 1: "serving", 2: "not serving", 3: "no such service"}


@contextlib.contextmanager
def channel(address, secure):
    if secure:
        made = grpc.secure_channel(address, grpc.ssl_channel_credentials())
    else:
        made = grpc.insecure_channel(address)
    try:
        yield made
    finally:
        made.close()


def check(address, service="", timeout=3.0, secure=False):
    with channel(address, secure) as made:
        stub = health_pb2_grpc.HealthStub(made)
        request = health_pb2.HealthCheckRequest(service=service)
        started = time.perf_counter()
        try:
            status = stub.Check(request, timeout=timeout).status
        except grpc.RpcError as error:
            return error.code().name.lower(), None
        return NAMES.get(status, str(status)), time.perf_counter() - started


def watch(addresses, interval, **options):
    before = {}
    while True:
        for address in addresses:
            state, taken = check(address, **options)
            if before.get(address) != state:
                log.info("%s: %s -> %s", address, before.get(address, "?"), state)
                before[address] = state
            elif taken is not None and taken > 1:
                log.warning("%s: slow, %.2fs", address, taken)
        time.sleep(interval)


def serve(port):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2))
    servicer = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    servicer.set("", health_pb2.HealthCheckResponse.SERVING)
    server.add_insecure_port(f"[::]:{port}")
    server.start()
    server.wait_for_termination()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("addresses", nargs="*")
    parser.add_argument("--service", default="")
    parser.add_argument("--watch", type=float)
    parser.add_argument("--serve", type=int)
    parser.add_argument("--tls", action="store_true")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if args.serve:
        return serve(args.serve)
    if args.watch:
        return watch(args.addresses, args.watch, service=args.service, secure=args.tls)
    states = [check(address, args.service, secure=args.tls)[0] for address in args.addresses]
    for address, state in zip(args.addresses, states):
        print(f"{address}: {state}")
    return 0 if all(state == "serving" for state in states) else 1


if __name__ == "__main__":
    sys.exit(main())
