"""Reads samples with Python's own csv and zipfile modules, without a library for workbooks and without any code of
formferry. Used by form-tool-answers.py and sample-answers.py."""
import csv
import os
import re
import zipfile
from xml.etree import ElementTree

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples")


def records(path, encoding="utf-8-sig"):
    with open(os.path.join(SAMPLES, path), encoding=encoding, newline="") as file:
        return list(csv.reader(file))


def filled(answers):
    """Returns the answers that are not empty."""
    return {name: value for name, value in answers.items() if value not in ("", None, [], {})}


def tidy(text):
    return re.sub(r"\s+", " ", text).strip()


def sheet(path):
    """Returns the cells of a workbook's first sheet, by row and column letters, without a library for workbooks."""
    name = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(os.path.join(SAMPLES, path)) as book:
        strings = [
            "".join(text.text or "" for text in item.iter(name + "t"))
            for item in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
        ]
        rows = []
        for row in ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml")).iter(name + "row"):
            cells = {}
            for cell in row.iter(name + "c"):
                value = cell.find(name + "v")
                if value is None:
                    continue
                letters = re.match(r"[A-Z]+", cell.get("r")).group()
                cells[letters] = strings[int(value.text)] if cell.get("t") == "s" else float(value.text)
            rows.append(cells)
        return rows
