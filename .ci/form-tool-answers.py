#!/usr/bin/env python3
"""Reads the real exports of form tools in samples/ with Python's own csv and zipfile modules, and writes their answers to
test/source/formtools/answers/*.json. This reader is independent: it uses no code of formferry. The files are committed. Run this when a sample
changes: python3 .ci/form-tool-answers.py [FOLDER]"""
import json
import os
import sys
from datetime import datetime, timedelta

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from independent_reader import filled, records, sheet, tidy  # noqa: E402

TARGET = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "test", "source", "formtools", "answers")


def star_wars():
    """Row 1 contains the titles of blocks, and row 2 the contents of the columns. Films: columns 3 to 8 (ticks) and 9 to 14 (ranks). Characters: columns 15 to 28."""
    rows = records("surveymonkey/538-StarWars.first200.csv", "cp1252")
    below = rows[1]
    result = {}
    for row in rows[2:]:
        ranks = {int(row[at]): tidy(below[at]) for at in range(9, 15) if row[at] != ""}
        result[row[0]] = filled({
            "Seen any": row[1] == "Yes",
            "Fan": {"Yes": True, "No": False}.get(row[2]),
            "Films seen": [tidy(below[at]) for at in range(3, 9) if row[at] != ""],
            "Ranking": [ranks[rank] for rank in sorted(ranks)],
            "Characters": {tidy(below[at]): row[at].strip() for at in range(15, 29) if row[at] != ""},
            "Shot first": row[29].strip(),
            "Expanded Universe": row[30].strip(),
            "Fan of it": row[31].strip(),
            "Star Trek": row[32].strip(),
            "Gender": row[33].strip(),
            "Age": row[34].strip(),
            "Income": row[35].strip(),
            "Education": row[36].strip(),
            "Region": row[37].strip(),
        })
    return result


def steak():
    names = ["Lottery", "Smoke", "Alcohol", "Gamble", "Skydiving", "Speed", "Cheated", "Steak", "Prepared", "Gender", "Age",
             "Income", "Education", "Region"]
    result = {}
    for row in records("surveymonkey/538-steak-risk-survey.csv")[2:]:
        answers = dict(zip(names, (cell.strip() for cell in row[1:])))
        answers["Steak"] = {"Yes": True, "No": False}.get(answers["Steak"])
        result[row[0]] = filled(answers)
    return result


def qualtrics():
    """Reads every filled column below the three header rows. Reads latitude and longitude as numbers."""
    rows = records("qualtrics/qualtRics-sample.csv")
    header = rows[0]
    result = {}
    for row in rows[3:]:
        cell = dict(zip(header, row))
        number = lambda name: json.loads(cell[name]) if cell[name] else ""
        result[cell["ResponseId"]] = {
            **filled({
                "Choice": number("Q1"),
                "Text": cell["Q2"],
                "Topics": cell["Q2 - Topics"],
                "Started": cell["StartDate"],
                "Recorded": cell["RecordedDate"],
                "Status": number("Status"),
                "Address": cell["IPAddress"],
                "Progress": number("Progress"),
                "Seconds": number("Duration (in seconds)"),
                "Finished": {"1": True, "0": False}[cell["Finished"]],
                "Last name": cell["RecipientLastName"],
                "First name": cell["RecipientFirstName"],
                "Email": cell["RecipientEmail"],
                "Reference": cell["ExternalReference"],
                "Latitude": number("LocationLatitude"),
                "Longitude": number("LocationLongitude"),
                "Channel": cell["DistributionChannel"],
                "Language": cell["UserLanguage"],
            }),
            "submissionTime": cell["EndDate"].replace(" ", "T") + "Z",
        }
    return result


def redcap():
    rows = records("redcap/REDCapR-survey.csv")
    header = rows[0]
    result = {}
    for row in rows[1:]:
        cell = dict(zip(header, row))
        result[cell["participant_id"]] = filled({
            "Born": cell["dob"],
            "Email": cell["email"],
            "Diabetes": cell["has_diabetes"] == "1",
            "Consent": ["1"] if cell["consent___1"] == "1" else [],
            "Asked at": cell["prescreening_survey_timestamp"],
            "Morale asked at": cell["participant_morale_questionnaire_timestamp"].replace("[not completed]", ""),
        })
    return result


def odk():
    rows = records("odk/briefcase-choice-lists.csv")
    header = rows[0]
    result = {}
    for row in rows[1:]:
        cell = dict(zip(header, row))
        result[cell["KEY"]] = {
            **filled({
                "Another": cell["another_string"],
                "Some in words": cell["some_string"],
                "Yet another in words": cell["some_group-yet_another_string"],
                "Instance": cell["meta-instanceID"],
                "Some": [choice for choice in ("CHOICE_1", "CHOICE_2") if cell["some_string/" + choice] == "1"],
                "Yet another": [
                    choice for choice in ("CHOICE_1", "CHOICE_2")
                    if cell["some_group-yet_another_string/" + choice] == "1"
                ],
            }),
            "submissionTime":
                datetime.strptime(cell["SubmissionDate"], "%b %d, %Y %I:%M:%S %p").isoformat() + "Z",
        }
    return result


def google():
    rows = sheet("google-forms/rstudio-2019-spanish-r-community-survey.xlsx")
    header = {letters: tidy(str(title)) for letters, title in rows[0].items()}
    by_start = lambda start: next(letters for letters, title in header.items() if title.startswith(start))
    columns = {
        "Level": by_start("¿Cómo calificarías"),
        "Difficulty": by_start("Comparado con otros temas técnicos que aprendiste en clase o en el trabajo, en una escala del 1 al 5, ¿qué difícil fue"),
        "Likes": by_start("¿Qué es lo que más te gusta"),
        "Country": by_start("¿En qué país"),
    }
    result = {}
    for row in rows[1:]:
        moment = datetime(1899, 12, 30) + timedelta(seconds=round(row["A"] * 86400))
        answers = {}
        for name, letters in columns.items():
            value = row.get(letters, "")
            answers[name] = int(value) if name == "Difficulty" and value != "" else str(value).strip()
            if isinstance(value, float) and name != "Difficulty":
                answers[name] = str(int(value)) if value == int(value) else str(value)
        # The file does not contain the sheet's zone, so the pipeline of the test uses UTC.
        result[moment.isoformat()] = {**filled(answers), "submissionTime": moment.isoformat() + "Z"}
    return result


os.makedirs(TARGET, exist_ok=True)
for name, answers in {
    "star-wars": star_wars(),
    "steak": steak(),
    "qualtrics": qualtrics(),
    "redcap": redcap(),
    "odk": odk(),
    "google": google(),
}.items():
    with open(os.path.join(TARGET, name + ".json"), "w", encoding="utf-8") as file:
        json.dump(answers, file, ensure_ascii=False, indent=1)
        file.write("\n")
