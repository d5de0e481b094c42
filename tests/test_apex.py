"""Anonymous Apex: code that looks at records passes, and code that changes or sends something asks."""

from __future__ import annotations

import pytest

from interlock import Action, Engine

ENGINE = Engine()
LOOKING = [
    "System.debug([SELECT COUNT() FROM Contact]);",
    "List<Account> found = [SELECT Id, Name FROM Account LIMIT 5]; for (Account a : found) { System.debug(a.Name); }",
    "Map<Id, Account> m = new Map<Id, Account>([SELECT Id FROM Account]); System.debug(m.keySet().size());",
    "// delete nothing\nSystem.debug('insert or update');",
    "System.debug(JSON.serialize(Schema.SObjectType.Account.fields.getMap().keySet()));",
]
DOING = [
    "delete [SELECT Id FROM Contact];",
    "Account a = new Account(Name = 'x'); insert a;",
    "Database.delete([SELECT Id FROM Lead]);",
    "Messaging.sendEmail(new List<Messaging.SingleEmailMessage>{ m });",
    "Http h = new Http(); h.send(request);",
    "System.schedule('nightly', '0 0 3 * * ?', new Cleaner());",
    "System.debug(UserInfo.getSessionId());",
    "Cleaner.get();",
    "cleaner.put('all', true);",
    "EventBus.publish(new Order__e());",
    "System.setPassword(id, 'x');",
]


def is_allowed(code: str) -> bool:
    action = Action(tool_name="mcp__salesforce__salesforce_execute_anonymous", input_payload={"apexCode": code})
    return ENGINE.decide(action).allowed


@pytest.mark.parametrize("code", LOOKING)
def test_code_that_looks_passes(code: str) -> None:
    assert is_allowed(code)


@pytest.mark.parametrize("code", DOING)
def test_code_that_does_something_asks(code: str) -> None:
    assert not is_allowed(code)
