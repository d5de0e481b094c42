"""Judges of whether an effect of a tool call is routine, one function for each kind of effect."""

from __future__ import annotations

from interlock.analyse.tools.judged_call import Judge, JudgedCall
from interlock.analyse.tools.judges.access import is_routine_access, is_routine_account, is_routine_security
from interlock.analyse.tools.judges.automations import is_routine_automation
from interlock.analyse.tools.judges.devices import is_routine_operation
from interlock.analyse.tools.judges.infrastructure import is_routine_infrastructure
from interlock.analyse.tools.judges.messages import is_routine_appointment, is_routine_message
from interlock.analyse.tools.judges.orders import is_routine_order, is_routine_payment
from interlock.analyse.tools.judges.publishing import is_routine_publication
from interlock.analyse.tools.judges.records import is_routine_change, is_routine_deletion
from interlock.analyse.tools.judges.sharing import is_routine_export, is_routine_share

__all__ = ["JUDGES", "JudgedCall"]

JUDGES: dict[str, Judge] = {
    "message.send": is_routine_message,
    "appointment.make": is_routine_appointment,
    "content.publish": is_routine_publication,
    "record.change": is_routine_change,
    "record.delete": is_routine_deletion,
    "order.place": is_routine_order,
    "document.share": is_routine_share,
    "data.export": is_routine_export,
    "access.grant": is_routine_access,
    "account.change": is_routine_account,
    "security.lower": is_routine_security,
    "device.operate": is_routine_operation,
    "automation.install": is_routine_automation,
    "payment.send": is_routine_payment,
    **dict.fromkeys(("infra.change", "infra.destroy", "container.delete", "cluster.change"), is_routine_infrastructure),
}
