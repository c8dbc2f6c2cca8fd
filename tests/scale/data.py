#!/usr/bin/python3
"""data.py RECORDS: made invoices with mistakes, the same on every machine; one of them is "held", one is no JSON."""
import json
import random
import sys

random.seed(15)
SUPPLIERS = ["Schmidt & Söhne KG", "Łódzkie Zakłady S.A.", "Pacific Rim Imports", "Acme Shipping GmbH", "Nordisk Transport A/S"]
GOODS = ["Steel bolt M8x40", "Hydraulic pump", "Copper wire", "LED panel 60x60", "Office chair", "Rubber gasket", "Glass bottle"]


def invoice(number):
    items = [{"description": random.choice(GOODS), "quantity": random.randint(1, 90), "line_total": random.randint(100, 99999) / 100}
             for _ in range(random.randint(1, 4))]
    return {"number": f"RE-{number}", "date": f"2025-{random.randint(1, 12):02}-{random.randint(1, 28):02}", "supplier": random.choice(SUPPLIERS),
            "total": round(sum(item["line_total"] for item in items), 2), "line_items": items}


def answer(truth):
    read = json.loads(json.dumps(truth))
    mistake = random.randrange(9)
    if mistake == 0:
        read["total"] = round(read["total"] + random.choice([0.01, 1, 100]), 2)
    elif mistake == 1:
        del read[random.choice(["date", "supplier", "total"])]
    elif mistake == 2:
        read["supplier"] = read["supplier"].replace("ö", "o").upper()
    elif mistake == 3:
        read["line_items"].pop(random.randrange(len(read["line_items"])))
    elif mistake == 4:
        random.shuffle(read["line_items"])
        read["invented"] = True
    return read


count = int(sys.argv[1])
for number in range(count):
    truth = invoice(number)
    record = {"id": "held" if number == count * 2 // 5 else f"invoice {number}", "language": random.choice(["de", "en", "pl"]),
              "expected": truth, "candidate": answer(truth) if number % 97 else None}
    print(json.dumps(record, ensure_ascii=False))
    if number == count // 3:
        print('{"id": "cut", "expected": {')
