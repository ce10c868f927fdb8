"""What people do for a living, in groups of which one person is hardly in two."""

from __future__ import annotations

_TABLE = """
doctor: doctor surgeon physician pediatrician cardiologist | nurse: nurse | teacher: teacher professor lecturer tutor
lawyer: lawyer attorney paralegal | engineer: engineer developer programmer coder | accountant: accountant bookkeeper
cook: chef cook baker | farmer: farmer rancher | pilot: pilot | dentist: dentist | electrician: electrician
plumber: plumber | carpenter: carpenter | mechanic: mechanic | firefighter: firefighter fireman
police: policeman policewoman cop police_officer detective sheriff | soldier: soldier marine | barista: barista
waiter: waiter waitress server | bartender: bartender | cashier: cashier | hairdresser: hairdresser barber hair_stylist
journalist: journalist reporter | architect: architect | pharmacist: pharmacist | librarian: librarian
driver: driver trucker | sales: salesman saleswoman salesperson car_salesman | realtor: realtor real_estate_agent
secretary: secretary receptionist | scientist: scientist researcher chemist biologist physicist | janitor: janitor
therapist: therapist psychologist counselor | vet: veterinarian vet | priest: priest pastor minister rabbi
butcher: butcher | tailor: tailor seamstress | florist: florist | judge: judge | astronaut: astronaut
fisherman: fisherman | miner: miner | banker: banker bank_teller | nanny: nanny babysitter | paramedic: paramedic
lifeguard: lifeguard | flight attendant: flight_attendant stewardess | construction: construction_worker bricklayer
welder: welder | postman: mailman postman mail_carrier | security: security_guard bouncer | social: social_worker
wrestler: wrestler | stuntman: stuntman stunt_double | zookeeper: zookeeper | optometrist: optometrist
personal trainer: personal_trainer | gardener: landscaper | housekeeper: housekeeper maid | cab: taxi_driver cab_driver
"""
TRADES = {
    word.replace("_", " "): head.strip()
    for row in _TABLE.replace("\n", "|").split("|")
    if ":" in row
    for head, words in [row.split(":")]
    for word in words.split()
}
"""A name of a trade, and the group it is in."""
