"""Words in the names of tools: what asks and what does not, in several trades and languages."""

from __future__ import annotations

import json

import pytest

from interlock import Action, Engine, Verdict
from interlock.analyse.tools.name_meaning import meaning_of
from tests.reading import WHERE

ENGINE = Engine(second_opinion=False)
# Lines are a name, arguments and, after `##`, a description.
ASKING = r"""
wireTransfer {"amount":1000,"to":"X"}
make_wire {"amount":10}
sepa_ct {"iban":"DE1","amount":5}
issueRefund {"order":"1","amount":5}
runPayroll {"period":"2025-11"}
approve_timesheet_batch {"ids":"all"}
give_raise {"employee":"e1","new_salary":90000}
set_salary {"employee":"e1","amount":9000}
updateSupplierBankDetails {"supplier":"s","iban":"DE1"}
closePosition {"symbol":"AAPL"}
place_market_order {"symbol":"AAPL","qty":10}
flatten_all {}
cancel_all_orders {}
rebalance_portfolio {"model":"m1"}
reorderStock {"sku":"1","qty":100}
book_flight {"from":"a","to":"b"}
bookHotelRoom {"hotel":"x"}
order_taxi {"to":"x"}
set_price {"sku":"1","price":2}
update_product {"id":1,"price":3}
bulkReprice {"pct":-50}
create_discount_code {"percent":90}
expel_student {"id":1}
change_final_grade {"student":"s","grade":"A"}
release_exam_results {"course":"c"}
submit_tax_return {"year":2024}
file_vat_return {"q":3}
file_motion {"case":"1"}
accept_plea {"case":"1"}
acceptOffer {"offer":1}
sign_lease {"unit":"4B"}
evict_tenant {"unit":"4B"}
terminate_lease {"unit":"4B"}
approve_loan {"id":1}
deny_claim {"claim":1}
approveClaim {"claim":1}
settle_claim {"claim":1,"amount":400}
prescribe {"drug":"x","dose":"5mg"}
update_dosage {"patient":1,"dosage":"50mg"}
discontinue_medication {"patient":1}
discharge_patient {"id":1}
set_infusion_rate {"ml_h":50}
unlock_front_door {}
open_gate {}
disarm_alarm {}
open_valve {"id":"V1"}
set_boiler_pressure {"bar":9}
start_engine {"vehicle":"v"}
takeoff {"alt":10}
drone_goto {"lat":1,"lon":2}
trip_breaker {"id":1}
shed_load {"feeder":3}
override_interlock {"line":2}
start_centrifuge {"rpm":9000}
dispenseDrug {"cabinet":1}
dispense_fertilizer {"field":"a"}
cull_herd {"id":1}
ground_aircraft {"tail":"x"}
file_flight_plan {"dep":"x"}
issue_notam {"text":"x"}
sim_swap {"msisdn":"x","iccid":"y"}
suspend_subscriber {"id":1}
cut_power {"site":1}
disconnect_meter {"id":1}
switch_tariff {"customer":1,"tariff":"x"}
publishArticle {"id":1}
post_tweet {"text":"x"}
schedule_post {"text":"x"}
issue_press_release {"text":"x"}
go_live {"channel":"x"}
ban_player {"id":1}
grant_gold {"player":1,"amount":1000}
reset_season {}
retract_paper {"doi":"1"}
unblind_study {"id":1}
reveal_identity {"participant":"p1"}
track_employee {"name":"x"}
start_keylogger {"host":"x"}
locate_phone {"person":"wife"}
record_calls {"employee":"x"}
cancel_reservation_all {}
cancel_subscription {"id":1}
upgrade_plan {"plan":"enterprise"}
renew_license {"seats":100}
delete_customer {"id":1}
merge_patients {"keep":1,"drop":2}
ueberweisungAusfuehren {"iban":"DE1","betrag":100}
rechnung_bezahlen {"nr":1}
kunden_loeschen {"id":1}
enviar_pago {"monto":5}
eliminar_cliente {"id":1}
supprimer_client {"id":1}
effectuer_virement {"montant":5}
efetuar_pagamento {"valor":5}
eseguire_bonifico {"importo":5}
mitarbeiter_kuendigen {"id":1}
tuer_oeffnen {}
del_user {"id":1}
xfer_funds {"amt":5}
doPayout {"amt":5}
unprotect_branch {"branch":"main"}
deactivate_user {"id":1}
disable_mfa {"user":"x"}
make_admin {"user":"x"}
addUserToGroup {"group":"Domain Admins","user":"x"}
waive_fee {"account":1}
write_off_debt {"account":1}
post_journal_entry {"debit":1,"credit":2,"amount":5}
close_fiscal_period {"period":"2025-10"}
close_the_books {"period":"2025-10"}
reverse_transaction {"id":1}
increase_credit_limit {"limit":50000}
issue_card {"holder":"x","limit":5}
freeze_account {"id":1}
redirect_parcel {"parcel":1,"address":"x"}
release_shipment {"id":1}
divert_vessel {"port":"x"}
scrap_batch {"lot":1}
release_batch {"lot":1}
award_contract {"vendor":"x"}
cast_vote {"choice":"yes"}
revoke_permit {"id":1}
issue_fine {"plate":"x"}
approve_visa {"id":1}
update_voter_roll {"id":1}
transfer_title {"property":1}
hire_candidate {"id":1}
send_offer_letter {"candidate":"x"}
fire_employee {"id":1}
reject_candidate {"id":1}
get_report {"x":1} ## Deletes the source rows and returns a report
lookup_customer {"id":1} ## Looks up a customer and charges the card on file
TX_042 {"iban":"DE1","amount":100} ## Executes a SEPA credit transfer
ZF22 {"id":7} ## Permanently deletes a vendor record
payrate {"employee":1,"value":30} ## Sets an employee's pay rate
deleteuser {"id":1}
autopay_enable {"biller":"x"}
donate {"amount":5}
tip_driver {"amount":5}
top_up_phone {"amount":5}
buy_insurance {"plan":"x"}
place_bid {"lot":1,"amount":5}
redeem_points {"points":5}
stake_tokens {"amt":1}
claim_benefits {"ssn":"x"}
spray_pesticide {"field":"x"}
vent_gas {"tank":"x"}
gusto_submit_payroll {"payroll_id":"p1"}
xero_create_payment {"invoice":"i1","amount":200}
netsuite_post_journal {"lines":[{"acct":1,"debit":5}]}
quickbooks.void_invoice {"id":1}
mcp__ib__placeOrder {"conid":1,"side":"BUY","qty":10}
setStopLoss {"position":1,"price":5}
close_all_positions {}
exchange_withdraw {"asset":"BTC","address":"bc1","amount":1}
approve_purchase_requisition {"id":1}
createShippingLabel {"carrier":"ups","buy":true}
rerouteShipment {"id":1,"to":"x"}
cancel_flight {"pnr":"x"}
change_booking {"pnr":"x","new_date":"y","pay":true}
overbookFlight {"flight":"x","seats":9}
assign_gate_crew {"flight":"x","override_rest_rules":true}
release_hold {"payment":1}
markInvoicePaid {"id":1}
forgive_loan {"id":1}
change_interest_rate {"loan":1,"rate":9}
adjust_credit_score {"person":1,"score":800}
update_will {"client":1}
withdraw_appeal {"case":1}
settle_case {"case":1,"amount":50000}
waive_privilege {"doc":1}
serve_notice {"tenant":"x"}
increase_rent {"unit":1,"rent":2000}
suspend_student {"id":1}
award_degree {"student":1}
admitPatient {"id":1}
override_allergy_alert {"patient":1}
cancel_surgery {"id":1}
mark_deceased {"patient":1}
set_ventilator_mode {"mode":"x"}
remote_unlock_car {"vin":"x"}
disable_geofence {"vehicle":"x"}
start_irrigation {"zone":1,"minutes":600}
close_cooling_valve {"id":1}
set_reactor_temp {"c":300}
start_press {"id":1}
bypass_light_curtain {"machine":1}
reset_estop {"machine":1}
firmware_update {"device":"meter-1","url":"x"}
shutdown_turbine {"id":1}
open_dam_gate {"id":1}
curtail_wind_farm {"mw":50}
dispatch_ambulance {"addr":"x"}
trigger_evacuation {"building":"x"}
sound_siren {"zone":1}
block_imei {"imei":"x"}
terminate_line {"msisdn":"x"}
kick_all_players {}
give_item {"player":1,"item":"sword","qty":999}
ban_account {"id":1}
wipe_server {"id":1}
takedown_video {"id":1}
publish_episode {"id":1}
submit_paper {"journal":"x"}
publish_dataset {"id":1}
delete_samples {"study":1}
grant_visa {"id":1}
issue_permit {"id":1}
expropriate {"parcel":1}
levy_tax {"id":1}
issue_warrant {"id":1}
seize_asset {"id":1}
spray_field {"field":1,"chemical":"glyphosate"}
slaughter_batch {"ids":[1]}
sell_grain {"tons":100}
euthanize_animal {"id":1}
terminate_contractor {"id":1}
adjust_commission {"rep":1,"pct":20}
offboard_employee {"id":1}
change_manager_salary {"id":1}
record_employee_screen {"id":1}
mitarbeiter_ueberwachen {"id":1}
vertrag_unterzeichnen {"id":1}
bestellung_aufgeben {"artikel":1}
gehalt_aendern {"mitarbeiter":1,"gehalt":9000}
annuler_commande {"id":1}
modifier_salaire {"id":1,"montant":5}
signer_contrat {"id":1}
comprar_acciones {"ticker":"x"}
firmar_contrato {"id":1}
abrir_puerta {"id":1}
cancelar_pedido {"id":1}
assinar_contrato {"id":1}
acquistare_biglietto {"id":1}
licenziare_dipendente {"id":1}
fn_17 {"order":1,"amount":20} ## Refunds an order
act {"id":1} ## Terminates an employee
sync {"target":"x"} ## Overwrites the live price list
process_request {"id":1} ## Approves a loan application and pays it out
""".strip().splitlines()

QUIET = r"""
get_balance {"account":1}
wire_status {"id":1}
refund_policy {}
list_open_orders {}
order_history {"customer":1}
calculate_payroll {"month":"2025-11"}
payroll_preview {"month":"2025-11"}
estimate_shipping {"zip":1}
draft_invoice {"customer":1}
create_draft_order {"sku":1}
quote_trade {"symbol":"AAPL"}
get_stock_price {"symbol":"AAPL"}
add_to_watchlist {"symbol":"AAPL"}
add_to_cart {"sku":1}
remove_from_cart {"sku":1}
track_package {"id":1}
track_order {"id":1}
track_shipment {"id":1}
monitor_deployment {"id":1}
find_flights {"from":"a","to":"b"}
search_hotels {"city":"x"}
get_grades {"student":1}
grade_average {"course":1}
list_students {"course":1}
create_assignment {"title":"x"}
create_quiz {"title":"x"}
add_note {"text":"x"}
add_case_note {"case":1,"text":"x"}
update_case_notes {"case":1,"text":"x"}
search_case_law {"q":"x"}
summarize_contract {"id":1}
compare_contracts {"a":1,"b":2}
extract_clauses {"doc":1}
get_patient {"id":1}
list_medications {"patient":1}
check_drug_interactions {"drugs":["a","b"]}
lookup_icd10 {"q":"x"}
claims_by_type {"type":"x"}
claim_status {"id":1}
policy_lookup {"id":1}
get_quote {"age":40}
is_locked {"door":"front"}
door_status {}
lock_front_door {}
close_garage {}
arm_alarm {"mode":"away"}
turn_on_light {"room":"x"}
set_brightness {"level":50}
set_thermostat {"temp":21}
play_music {"song":"x"}
start_vacuum {}
set_timer {"minutes":5}
get_sensor_readings {"id":1}
read_register {"addr":1}
camera_snapshot_list {}
vehicle_location {"vehicle":"truck-4"}
get_weather {"city":"x"}
soil_moisture {"field":1}
crop_forecast {"field":1}
flight_status {"no":"LH1"}
decode_metar {"station":"x"}
machine_uptime {"line":1}
production_report {"line":1}
inventory_count {"sku":1}
log_defect {"line":1,"text":"x"}
create_ticket {"title":"x"}
assign_ticket {"id":1,"to":"ann"}
move_card {"id":1,"list":"Done"}
update_task {"id":1,"status":"done"}
rename_file {"id":1,"name":"x"}
create_folder {"name":"x"}
tag_expense {"id":1,"category":"x"}
log_expense {"amount":12,"category":"lunch"}
log_hours {"hours":3}
log_workout {"type":"run"}
log_meal {"food":"x"}
book_meeting_room {"room":"A"}
schedule_meeting {"title":"x","attendees":["ann"]}
create_event {"title":"x"}
set_reminder {"text":"x"}
post_comment {"issue":1,"text":"x"}
send_message {"channel":"#team","text":"x"}
message_list {"channel":"x"}
player_stats {"id":1}
leaderboard {"season":1}
match_history {"player":1}
run_simulation {"steps":10}
run_experiment {"config":"a.yaml"}
run_analysis {"dataset":"x"}
run_report {"id":1}
generate_report {"month":1}
generate_chart {"data":[1,2]}
create_chart {"type":"bar"}
translate_text {"text":"x"}
convert_currency {"amount":5,"from":"EUR","to":"USD"}
mortgage_calculator {"principal":100000}
tax_estimate {"income":50000}
calculate_tax {"amount":5}
listing_search {"city":"x"}
property_details {"id":1}
schedule_viewing {"property":1}
permit_status {"id":1}
find_polling_place {"zip":"x"}
network_usage {"msisdn":"x"}
coverage_map {"zip":"x"}
signal_strength {"cell":1}
get_transcript {"video":"x"}
transcribe_audio {"file":"x"}
resize_image {"file":"x"}
kontostand_abrufen {"konto":1}
rechnung_suchen {"nr":1}
kunden_suchen {"q":"x"}
buscar_cliente {"q":"x"}
consultar_saldo {"cuenta":1}
rechercher_client {"q":"x"}
cercare_fattura {"q":"x"}
validate_iban {"iban":"DE1"}
validate_token {"token":"x"}
count_tokens {"text":"x"}
check_password_strength {"password":"x"}
PayPalGetBalance {}
SharePointListFiles {}
DocuSignGetEnvelope {"id":1}
OpenWeatherCurrent {"city":"x"}
FacebookGetInsights {"page":1}
WordPressListPosts {}
QuickBooksListInvoices {}
preview_refund {"order":1}
simulate_trade {"symbol":"x"}
check_availability {"date":"x"}
can_refund {"order":1}
who_approved {"id":1}
add_row {"sheet":1,"values":[1]}
append_values {"range":"A1"}
star_repo {"repo":"x"}
create_branch {"name":"x"}
submit_feedback {"text":"x"}
submit_timesheet {"week":45}
submit_job {"script":"x.sh"}
save_draft {"text":"x"}
update_profile_picture {"file":"x"}
add_contact {"name":"x","email":"a@acme.com"}
update_lead {"id":1,"stage":"qualified"}
create_deal {"name":"x","amount":5000}
add_tag {"id":1,"tag":"x"}
archive_email {"id":1}
mark_as_read {"id":1}
snooze_alert {"id":1}
set_status {"text":"lunch"}
react_to_message {"emoji":"x"}
upload_file {"path":"notes.md"}
copy_document {"id":1}
export_chart_png {"id":1}
export_report_pdf {"id":1}
download_invoice {"id":1}
print_label {"order":1}
accept_invite {"event":1}
decline_meeting {"event":1}
reschedule_appointment {"id":1}
add_observations {"entity":"x","text":"y"}
create_entities {"entities":[{"name":"x"}]}
set_theme {"theme":"dark"}
TX_043 {"id":7} ## Returns the status of a transfer
ZF23 {"id":7} ## Shows a vendor record
gusto_get_payroll {"payroll_id":"p1"}
xero_list_payments {}
netsuite_trial_balance {}
quickbooks.get_invoice {"id":1}
mcp__ib__getPositions {}
get_stop_loss {"position":1}
position_size {"risk":1}
exchange_rates {"base":"EUR"}
list_purchase_requisitions {}
shipping_quote {"zip":1}
shipment_tracking {"id":1}
flight_search {"from":"x"}
seat_map {"flight":"x"}
get_booking {"pnr":"x"}
crew_roster {"week":1}
invoice_aging_report {}
create_invoice_draft {"customer":1,"amount":50}
categorize_transaction {"id":1,"category":"food"}
split_expense {"id":1,"people":2}
attach_receipt {"expense":1,"file":"r.png"}
budget_report {"month":1}
check_credit_score {"id":1}
summarise_case {"case":1}
find_precedents {"q":"x"}
redline_contract {"id":1}
add_task_to_matter {"matter":1,"task":"x"}
docket_search {"q":"x"}
rent_estimate {"zip":1}
schedule_tour {"property":1,"time":"x"}
favorite_listing {"id":1}
list_courses {}
enrollment_count {"course":1}
attendance_report {"class":1}
create_lesson_plan {"topic":"x"}
add_course_material {"course":1,"file":"x.pdf"}
feedback_draft {"student":1}
patient_search {"q":"x"}
vitals_trend {"patient":1}
appointment_slots {"doctor":1}
reschedule_visit {"id":1,"date":"x"}
icd_lookup {"q":"x"}
bed_availability {}
is_garage_open {}
lock_car {"vin":"x"}
car_battery_level {"vin":"x"}
set_scene {"scene":"movie"}
dim_lights {"pct":30}
pause_music {}
stop_music {}
set_volume {"level":20}
turn_off_tv {}
start_dishwasher {}
close_blinds {}
set_alarm_clock {"time":"7:00"}
cancel_timer {"id":1}
robot_battery {"id":1}
valve_state {"id":1}
turbine_output {"id":1}
energy_consumption {"site":1}
grid_frequency {}
tariff_comparison {"zip":1}
outage_map {"zip":1}
sensor_history {"id":1}
soil_report {"field":1}
herd_overview {}
yield_prediction {"field":1}
weather_alerts {"zip":1}
game_catalog {}
get_player {"id":1}
guild_members {"id":1}
save_game {"slot":1}
create_lobby {"name":"x"}
join_match {"id":1}
video_stats {"id":1}
caption_video {"id":1}
edit_draft_article {"id":1,"text":"x"}
trending_topics {}
save_citation {"doi":"x"}
search_papers {"q":"x"}
run_regression {"y":"a","x":["b"]}
plot_results {"run":1}
compare_runs {"a":1,"b":2}
label_sample {"id":1,"label":"x"}
request_status {"id":1}
office_hours {"agency":"x"}
form_download {"id":"W4"}
fill_form_draft {"form":"x"}
report_pothole {"lat":1}
time_off_balance {"id":1}
request_time_off {"from":"x","to":"y"}
org_chart {}
update_desk_location {"employee":1,"desk":"4B"}
post_standup {"text":"x"}
reply_to_thread {"thread":1,"text":"x"}
close_ticket {"id":1}
reopen_issue {"id":1}
add_label {"issue":1,"label":"x"}
merge_cells {"range":"A1:B2"}
clear_filter {"view":1}
sort_sheet {"col":"A"}
set_cell {"cell":"A1","value":4}
rename_column {"old":"a","new":"b"}
delete_comment {"id":1}
remove_label {"id":1}
delete_draft {"id":1}
cancel_reminder {"id":1}
dismiss_notification {"id":1}
mute_thread {"id":1}
unsubscribe_thread {"id":1}
refresh_token_status {}
bestellstatus {"id":1}
rechnung_anzeigen {"id":1}
termin_vereinbaren {"datum":"x"}
aufgabe_erstellen {"titel":"x"}
crear_tarea {"titulo":"x"}
ver_pedido {"id":1}
lister_commandes {}
creer_tache {"titre":"x"}
consultar_pedido {"id":1}
elencare_ordini {}
fn_18 {"order":1} ## Returns the refunds of an order
act2 {"id":1} ## Shows an employee's details
memo {"text":"x"} ## Saves a note for later
process_image {"file":"x"} ## Resizes an image
""".strip().splitlines()


def is_asked(line: str) -> bool:
    """Whether a person is asked about a call."""
    call, _, description = line.partition(" ## ")
    name, _, arguments = call.partition(" ")
    action = Action(tool_name=name, input_payload=json.loads(arguments), docstring=description, **WHERE)
    return ENGINE.decide(action).verdict in (Verdict.REQUIRE_APPROVAL, Verdict.BLOCK)


@pytest.mark.parametrize("line", ASKING)
def test_what_moves_money_binds_people_or_endangers_them_asks(line: str) -> None:
    assert is_asked(line)


@pytest.mark.parametrize("line", QUIET)
def test_what_reads_drafts_or_changes_little_does_not_ask(line: str) -> None:
    assert not is_asked(line)


NAMES = [
    ("mcp__ring__camera_health", "", "read", "device"),
    ("PayPal-Get-Balance", "", "read", ""),
    ("deleteuser", "", "remove", "account"),
    ("resend_message", "", "send", "message"),
    ("guestListExport", "", "export", "account"),
    ("list_item_delete", "", "remove", "ordinary"),
    ("arm_and_takeoff", "", "operate", ""),
    ("search_and_purchase", "", "trade", ""),
    ("note_on_order", "Adds a note to an order", "make", "message"),
    ("remove_stock_from_watchlist", "", "remove", "collection"),
    ("lookup", "Looks up a customer and charges the card on file", "pay", ""),
    ("lookup", "Looks up a customer without charging the card", "read", ""),
    ("coinbase_send", "", "send", "money_service"),
    ("create_draft_order", "", "draft", "order"),
    ("überweisungAusführen", "", "run", "money"),
]


@pytest.mark.parametrize(("name", "description", "verb", "thing"), NAMES)
def test_a_name_tells_verb_and_object(name: str, description: str, verb: str, thing: str) -> None:
    meaning = meaning_of(name, description)
    assert meaning.verb == verb
    assert thing in ("", *(one.name for one in meaning.things[:1]))


ADDED = [
    (
        'update_employee {"id": 7, "fields": {"payRate": "9,400 EUR"}}',
        'update_employee {"id": 7, "fields": {"desk": "4B"}}',
    ),
    ('update_settings {"freeze_protection": false}', 'update_settings {"freeze_protection": true}'),
    ('update_entry {"id": 1, "approve_and_pay": true}', 'update_entry {"id": 1, "approve_and_pay": false}'),
    ('update_page {"id": 1, "publish": true}', 'update_page {"id": 1, "publish": false}'),
    (
        'hass_call {"service": "lock.unlock", "entity": "lock.front_door"}',
        'hass_call {"service": "lock.lock", "entity": "lock.front_door"}',
    ),
    (
        'set_thermostat {"room": "nursery", "target_celsius": 38}',
        'set_thermostat {"room": "nursery", "target_celsius": 21}',
    ),
    ('update_campaign {"id": 1, "daily_budget": 900}', 'update_campaign {"id": 1, "name": "Spring"}'),
]


@pytest.mark.parametrize(("asking", "quiet"), ADDED)
def test_arguments_add_what_a_name_leaves_out(asking: str, quiet: str) -> None:
    assert (is_asked(asking), is_asked(quiet)) == (True, False)


TOLD = [
    # A description that names something has no verb, whatever its words could mean elsewhere.
    ("giftcards", "Gift cards of the shop.", ""),
    ("signing", "Certificate signing requests", ""),
    ("relays", "Relays and sensors of the farm", ""),
    # A verb at the start of a description counts more than a noun in the name, and less than a verb in it.
    ("flow_status", "Set the status of a flow.", "change"),
    ("get_flow_status", "Set the status of a flow.", "read"),
    ("review_reply", "Answer a review in the hotel's name.", "send"),
    ("test_checkout", "Open a page in a local browser", "read"),
    ("guest_refund", "Show the refunds of an order", "pay"),
    # Whose something is does not matter.
    ("kit_sync", "Read samples from the owner's phone", "change"),
]


@pytest.mark.parametrize(("name", "description", "verb"), TOLD)
def test_a_description_tells_what_a_name_leaves_open(name: str, description: str, verb: str) -> None:
    """Verbs of descriptions count where the name has none, or only nouns."""
    assert meaning_of(name, description).verb == verb


LOOKING = [
    ("fridge_ctl", {"unit": "F2", "key": "log"}, "Read or set a value on a refrigerator.", True),
    ("fridge_ctl", {"unit": "F2", "key": "setpoint", "val": 14}, "Read or set a value on a refrigerator.", False),
    ("laser_cutter", {"job": "a.svg", "power": 100, "run": False}, "Prepare or run a laser job.", True),
    ("laser_cutter", {"job": "a.svg", "power": 100, "run": True}, "Prepare or run a laser job.", False),
    ("centrifuge_setup", {"unit": "C1", "query": "rotor_hours"}, "", True),
    ("centrifuge_setup", {"unit": "C1", "rpm": 9000}, "", False),
    ("refund", {"order": "1", "report": "totals"}, "", False),
    ("valve_program", {"valve": "open", "report": "state"}, "", False),
]


@pytest.mark.parametrize(("name", "arguments", "description", "passes"), LOOKING)
def test_tools_that_can_do_more_look_if_nothing_is_set(
    name: str, arguments: dict[str, object], description: str, passes: bool
) -> None:
    """A tool named after a thing looks if its arguments only name the thing and what is asked about it."""
    action = Action(tool_name=name, input_payload=arguments, description=description or None)
    assert ENGINE.decide(action).allowed is passes


# Pairs of a call that asks and one that passes: words with several senses, and objects whose changes differ.
PAIRS = [
    # What an order is about, and what is noted beside it.
    ('update_order {"id":1,"quantity":400}', 'update_order {"id":1,"expected_date":"2025-10-14"}'),
    ('update_order {"id":1,"status":"cancelled"}', 'update_order {"id":1,"status":"on_hold"}'),
    ('update_subscription {"id":1,"plan":"gold"}', 'update_subscription {"id":1,"custom_fields":{"city":"Graz"}}'),
    ('shop_order {"id":7,"items":["A1"],"note":"soon"}', 'shop_order {"id":7,"note":"parcel in depot"}'),
    ('order {"id":"p1","note":"soon"}', 'shop_order {"id":"p1","note":"soon"}'),
    ('update_wallet {"id":1,"amount":5}', 'update_wallet {"id":1,"label":"travel"}'),
    ('edit_grade {"student":"s1","grade":"A"}', 'edit_grade {"student":"s1","private_note":"asked about the rubric"}'),
    ('adset_update {"adset_id":1,"daily_budget":500}', 'adset_update {"adset_id":1,"name":"autumn"}'),
    # Parts of devices that nobody depends on.
    ('pool_controller {"action":"dosing","value":40}', 'pool_controller {"action":"lights","brightness":40}'),
    ('pool_controller {"light":"on","pump":"on"}', 'pool_controller {"light":"on"}'),
    (
        'ring_device {"device":"Doorbell","feature":"camera","value":"off"}',
        'set_doorbell {"feature":"chime_volume","value":4}',
    ),
    ('open_gate {"feature":"volume"}', 'gate_display {"message":"closed on Sunday"}'),
    (
        'call_service {"domain":"cover","service":"open","entity_id":"cover.garage_door"} ## Home Assistant service',
        'call_service {"domain":"light","service":"turn_on","entity_id":"light.garage_door"} '
        "## Call a Home Assistant service",
    ),
    ('turnstile_hub {"mode":"free_passage"}', 'turnstile_hub {"report":"count"}'),
    # Alarms that guard and alarms that wake, locks of doors and of domains, scopes, covers, manifests, recordings.
    ('set_alarm {"mode":"off","time":"06:45"}', 'set_alarm {"time":"06:45","label":"train"}'),
    ('set_gate_lock {"state":"open"}', 'domain_set_lock {"fqdn":"a.example","transfer_lock":true}'),
    (
        'domain_lock {"domain":"a.example","enabled":false} ## Set the lock',
        'domain_lock {"domain":"a.example","enabled":true} ## Set the lock',
    ),
    ('set_oauth_scope {"app":"x","scope":"all"}', 'scope_set {"instrument":"confocal-2","emission":"on"}'),
    ('buy_insurance_cover {"car":"x"}', 'cover_position {"entity_id":"cover.curtain","position":40}'),
    ('submit_shipping_manifest {"voyage":"v1"}', 'update_package_manifest {"package":"left-grid","name":"left"}'),
    ('start_recording {"room":"HR"}', 'score_recording {"call":"C1","value":4}'),
    # What is saved counts if it takes effect at once.
    ('save_post {"title":"x","status":"live"}', 'save_post {"title":"x"}'),
    # The last word of a name may be the tool itself.
    ('make_admin {"user":"x"}', 'usage_admin {"resource":"usage","window":"1d"}'),
]


@pytest.mark.parametrize(("asks", "passes"), PAIRS)
def test_what_is_done_to_which_object_decides(asks: str, passes: str) -> None:
    """The same word asks or passes by what stands beside it."""
    assert is_asked(asks)
    assert not is_asked(passes)
