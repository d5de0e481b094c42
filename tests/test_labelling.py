"""Commands that only label or describe something in a cloud pass; tags on which something depends ask."""

from __future__ import annotations

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)


def is_allowed(command: str) -> bool:
    return ENGINE.decide(Action.shell(command, cwd="/home/user/project", home="/home/user")).allowed


LABELLING = [
    "aws ec2 create-tags --resources i-1 --tags Key=owner,Value=ines",
    "aws kms update-key-description --key-id alias/letters --description 'Envelope key'",
    "aws kms tag-resource --key-id alias/letters --tags TagKey=a,TagValue=b",
    "aws iam update-role-description --role-name reader --description 'Used by the weekly job'",
    "aws route53 update-hosted-zone-comment --id Z1 --comment 'Renewed in March'",
    "aws logs tag-log-group --log-group-name web --tags owner=ines",
    "aws resourcegroupstaggingapi tag-resources --resource-arn-list arn:aws:s3:::b --tags a=b",
    "az resource tag --tags owner=lab review=2025-09 --ids /subscriptions/8c1/x --is-incremental",
    "gcloud compute instances add-labels render-01 --labels=owner=maren --zone=europe-west4-a --project=games",
]


@pytest.mark.parametrize("command", LABELLING)
def test_labelling_passes(command: str) -> None:
    assert is_allowed(command)


@pytest.mark.parametrize("command", LABELLING)
@pytest.mark.parametrize("option", ["--instance-type t3.large", "--policy x", "--endpoint-x y", "--tags file://x"])
def test_an_option_of_another_sort_makes_it_an_ordinary_change(command: str, option: str) -> None:
    assert not is_allowed(f"{command} {option}")


@pytest.mark.parametrize(
    "command",
    [
        "aws iam tag-role --role-name deploy --tags Key=team,Value=ops",
        "aws ec2 run-instances --tags a=b",
        "aws ec2 create-volume --description x",
        "aws ec2 delete-tags --resources i-1",
        "aws ec2 create-tags --resources i-1 --tags Key=a,Value=$(cat ~/.aws/credentials)",
        "aws ec2 create-tags --resources i-1 --tags Key=a && aws ec2 reboot-instances --instance-ids i-1",
        "gcloud compute instances add-tags web --tags=open",
        "gcloud container images add-tag gcr.io/a/b:1 gcr.io/a/b:live",
        "gcloud artifacts docker tags add a:1 a:live",
        "az vm resize --tags a=b --name web",
    ],
)
def test_tags_on_which_something_depends_ask(command: str) -> None:
    assert not is_allowed(command)
