#!/usr/bin/env python3
"""Computes what the practice service must contain after the real exports of the demonstration were imported. Reads the samples with Python's own csv, zipfile and
ElementTree, and derives the answers from each form tool's documentation, question by question and row by row. Uses neither formferry's code nor its
pipelines. Writes test/demo/answers/*.json. Run it when a sample changes: python3 .ci/sample-answers.py [FOLDER]"""
import json
import os
import re
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from independent_reader import filled, records, sheet, tidy  # noqa: E402

TARGET = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "test", "demo", "answers")
YES_NO = {"Yes": True, "No": False}


def utc(moment, zone):
    """Returns a time on a zone's clocks as the service writes instants."""
    there = moment.replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc)
    return there.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def star_wars():
    """Row 1 contains the titles of blocks, and row 2 the contents of the columns. Films: columns 3 to 8 (ticks) and 9 to 14 (ranks). Characters: columns 15 to 28."""
    rows = records("surveymonkey/538-StarWars.first200.csv", "cp1252")
    below = rows[1]
    favour = {
        "Very favorably": "+2", "Somewhat favorably": "+1", "Neither favorably nor unfavorably (neutral)": "0",
        "Somewhat unfavorably": "-1", "Very unfavorably": "-2",
    }
    ages = {"18-29": "18 to 29", "30-44": "30 to 44", "45-60": "45 to 60", "> 60": "Over 60"}
    incomes = {
        "$0 - $24,999": "under25k", "$25,000 - $49,999": "under50k", "$50,000 - $99,999": "under100k",
        "$100,000 - $149,999": "under150k", "$150,000+": "over150k",
    }
    episodes = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5", "VI": "6"}
    episode = lambda at: episodes[re.search(r"Episode (\w+)", below[at]).group(1)]
    result = {}
    for row in rows[2:]:
        ranks = {int(row[at]): episode(at) for at in range(9, 15) if row[at] != ""}
        result[row[0]] = filled({
            "any": YES_NO.get(row[1]),
            "fan": YES_NO.get(row[2]),
            "seen": [episode(at) for at in range(3, 9) if row[at] != ""],
            "order": [ranks[rank] for rank in sorted(ranks)],
            "views": {tidy(below[at]): favour[row[at]] for at in range(15, 29) if row[at] not in ("", "Unfamiliar (N/A)")},
            "shot": row[29].replace("I don't understand this question", "Does not know"),
            "expanded": YES_NO.get(row[30]),
            "expandedFan": YES_NO.get(row[31]),
            "trek": YES_NO.get(row[32]),
            "gender": row[33],
            "age": ages.get(row[34]),
            "income": incomes[row[35]] if row[35] else None,
            "education": row[36],
            "region": row[37],
            "@respondent": row[0],
        })
    return result


def redcap():
    rows = records("redcap/REDCapR-survey.csv")
    states = ["Incomplete", "Unverified", "Complete"]
    result = {}
    for row in rows[1:]:
        cell = dict(zip(rows[0], row))
        used = {
            "participant_id", "prescreening_survey_timestamp", "dob", "email", "has_diabetes", "consent___1", "prescreening_survey_complete",
            "participant_info_survey_complete", "participant_morale_questionnaire_timestamp", "participant_morale_questionnaire_complete",
            "completion_data_complete",
        }
        # Nothing else is filled in this file. If it were, its codes would have to be listed here.
        assert all(value == "" for name, value in cell.items() if name not in used)
        assert cell["participant_morale_questionnaire_timestamp"] in ("", "[not completed]")
        result[cell["participant_id"]] = filled({
            "q01": cell["dob"],
            "q02": cell["email"],
            "q03": {"1": True, "0": False}[cell["has_diabetes"]],
            "q04": {"1": ["given"], "0": []}[cell["consent___1"]],
            "q05": states[int(cell["prescreening_survey_complete"])],
            "q15": states[int(cell["participant_info_survey_complete"])],
            "q21": states[int(cell["participant_morale_questionnaire_complete"])],
            "q29": states[int(cell["completion_data_complete"])],
            "@participant": cell["participant_id"],
            "@submissionTime": utc(datetime.fromisoformat(cell["prescreening_survey_timestamp"]), "America/Chicago"),
        })
    return result


def ticked(cell, options, values=None):
    """Returns the choices in a cell: first the options, in order, then the remaining text as written. Ignores case and space in options."""
    rest, found = f", {cell}, ", []
    for option in sorted(options, key=len, reverse=True):
        if f", {option}, " in rest:
            rest = rest.replace(f", {option}, ", ", ", 1)
            found.append(option)
    own = [piece.strip() for piece in rest.split(",") if piece.strip()]
    alike = lambda text: "".join(text.split()).casefold()
    found += [option for option in options if alike(option) in map(alike, own)]
    own = [piece for piece in own if alike(piece) not in map(alike, options)]
    return [values[option] if values else option for option in options if option in found], list(dict.fromkeys(own))


USES = [
    "Análisis estadístico", "Transformación de datos", "Modelado", "Visualización", "Aprendizaje automático", "Procesamiento de texto", "Genómica",
    "Medicina", "Análisis de encuestas", "Ensayos clínicos", "Análisis financiero",
]
TOOLS = [
    "Microsoft Excel", "RStudio Desktop (IDE)", "Línea de comandos de R (es decir, la interfaz nativa de la terminal R)", "Python", "Shinyapps.io",
    "RStudio Server", "RStudio Server Pro", "RStudio.cloud", "RStudio Connect", "RStudio Desktop Pro (IDE)", "Jupyter Notebooks", "Shiny Server",
    "Shiny Server Pro", "SPSS", "SAS", "Stata", "Matlab", "Databricks",
]
PLACES = [
    "Sitios web de búsqueda general como Google y Yahoo", "Sitios generales de preguntas y respuestas como Stack Overflow y Quora",
    "Redes sociales como blogs, R-bloggers, Twitter, Slack o contactos de GitHub", "Su red personal, como colegas y profesores",
    "Libros, libros de texto o artículos de revistas (JSS, JOSS, R-Journal)", "community.rstudio.com",
    "Sitios web de búsqueda específicos de R como METACRAN o Rdocumentation", "Listas de correo electrónico como r-help",
    "Listas de correo electrónico como r-help, r-packages o r-pkg-devel", "Conferencias, reuniones o seminarios.", "Vistas de tareas de CRAN",
    "Paquetes R creados para la búsqueda, como el paquete sos",
]
SHARING = [
    "Email", "Incorporación de resultados en trabajos de investigación enviados a publicaciones", "Sitios web públicos como Github o Netlify",
    "Blog personal o sitio web de su propiedad", "Shinyapps.io", "RPubs.com",
    "Otro sitio web interno o portal administrado por mi organización (por ejemplo, Sharepoint)",
    "Sitio de RStudio Connect administrado por mi organización",
]
MARKDOWN = [
    "Crear cuadernos R", "Crear diapositivas de presentación", "Crear documentos PDF personalizados usando pagedown",
    "Crear artículos listos para publicación para enviar", "Crear paneles HTML con flexdashboard", "Crear documentos interactivos basados en Shiny",
    "Creación de sitios web a través de blogdown", "Publicación de libros en línea y fuera de línea a través de bookdown",
    "Documentación de construcción usando pkgdown",
]
LANGUAGES = [
    "Excel", "Python", "SPSS", "Visual Basic", "Matlab", "C/C++", "Tableau", "Javascript", "Java", "SAS", "PHP", "Ruby", "Swift", "Go",
]
EVENTS = {
    "RStudio::conf": "rstudio-conf", "UseR conferencia": "user", "Encuentro local o regional de R": "local",
    "R Reuniones de damas (locales, regionales, nacionales o internacionales)": "r-ladies", "rOpenSci Unconf": "unconf", "PyCon conferencia": "pycon",
}
OFTEN = {"D": "diario", "S": "semanal", "M": "mensual", "O": "ocasional", "N": "nunca"}  # by the first letter of the ticked option
TIMES = {"Días": "dias", "Semanas": "semanas", "Meses": "meses", "Años": "anos", "Aún no me siento competente en R": "aun-no"}
FUTURE = {"Espero que aumente": "mas", "Espero que siga igual": "igual", "Espero que disminuya": "menos", "Planeo dejar de usarlo": "nada"}
SHINY = {"No sé qué es Shiny": "no-sabe", "Nunca": "nunca", "Raramente": "raramente", "A veces": "a-veces", "Con frecuencia": "a-menudo"}
REASONS = [
    "Queria hacer análisis estadísticos", "Pensé que saber R me abriría nuevas oportunidades en mi carrera", "Fue requerido para mi trabajo",
    "Me interesaba a nivel personal", "Fue parte de un curso que tomé",
    "Quería usar un paquete R específico (por ejemplo, ggplot2, caret, rmarkdown)", "Integrante/s de la comunidad R me animaron a aprenderlo",
    "Quería crear aplicaciones interactivas (por ejemplo, Shiny)",
]
SAME_REASON = {
    "Creo que saber R me abrirá nuevas oportunidades en mi carrera": REASONS[1],
    "R se requiere para mi trabajo": REASONS[2],
    "Tengo curiosidad intelectual por R": REASONS[3],
}
WAYS = [
    "Utilizando un libro o documentación en línea que no formaba parte de un curso formal", "Curso en línea (por ejemplo, Coursera, edX, Datacamp)",
    'Curso presencial (incluyendo "bootcamps" y talleres de programación, también cursos más formales)', "En el trabajo",
]
SCHOOLS = [
    "Título de escuela secundaria o equivalente", "Formación terciaria comercial / técnica / profesional, sin título",
    "Algunos cursos universitarios de grado, sin título", "Grado universitario asociado (por ejemplo, AA, AS)", "Licenciatura (por ejemplo, BA, BS)",
    "Uno o más cursos de postgrado, sin título de postgrado", "Maestría (por ejemplo, MA, MS, MEd)",
    "Título profesional (por ejemplo, MD, DDS, DVM)", "Doctorado (por ejemplo, PhD, EdD)",
]


def spanish():
    """Reads the sheet's columns by their letters, A to AZ."""
    rows = sheet("google-forms/rstudio-2019-spanish-r-community-survey.xlsx")
    result = {}
    for row in rows[1:]:
        def text(letters):
            value = row.get(letters, "")
            return value.strip() if isinstance(value, str) else f"{value:g}"

        def number(letters):
            value = text(letters)
            return None if value == "" else float(value) if "." in value else int(value)

        def several(letters, options):
            found, own = ticked(text(letters), options)
            return found + own

        often = lambda letters: OFTEN.get(text(letters)[:1])
        moment = datetime(1899, 12, 30) + timedelta(seconds=round(row["A"] * 86400))
        reason = SAME_REASON.get(text("F") or text("N"), text("F") or text("N"))
        way, school = text("K"), text("AS")
        uses, other_uses = ticked(text("Q"), USES)
        result[moment.isoformat()] = filled({
            "nivel": text("B"), "dificilEspera": number("C"), "tiempoEspera": TIMES.get(text("D")),
            "metodoEspera": {"U": "libro", "A": "curso-en-linea"}.get(text("E")[:1]),
            "razon": reason if reason in REASONS + [""] else "Otra", "razonOtra": "" if reason in REASONS else reason,
            "usosEspera": several("G", USES), "herramientasHoy": several("H", TOOLS), "obstaculoEspera": text("I"), "desde": number("J"),
            "metodo": way if way in WAYS + [""] else "Otro", "metodoOtro": "" if way in WAYS else way,
            "dificil": number("L"), "tiempo": TIMES.get(text("M")), "obstaculo": text("O"), "frecuencia": often("P"),
            "usos": uses, "usosOtros": ", ".join(other_uses), "disfruta": number("R"), "recomienda": number("S"), "herramientas": several("T", TOOLS),
            "tidyverse": None if text("U") == "" else text("U") == "Sí", "tidyverseHoy": text("V"), "gusta": text("W"), "nogusta": text("X"),
            "ayuda": several("Y", PLACES), "descubre": several("Z", PLACES), "comparte": several("AA", SHARING), "futuro": FUTURE.get(text("AB")),
            "markdown": often("AD"), "markdownUsos": several("AE", MARKDOWN), "markdownFuturo": FUTURE.get(text("AF")),
            "shiny": SHINY.get(text("AG").split(",")[0]), "shinyFuturo": FUTURE.get(text("AH")), "python": often("AI"),
            "pythonUsos": several("AJ", USES), "pythonDisfruta": number("AK"), "pythonRecomienda": number("AL"), "pythonFuturo": FUTURE.get(text("AM")),
            "lenguajes": several("AN", LANGUAGES), "primero": text("AO"), "nacimiento": number("AP"),
            "estudios": school if school in SCHOOLS + [""] else "Otro", "pais": text("AT") or "no indicado", "industria": text("AU"),
            "cargo": text("AV"), "trabajo": text("AW"), "personas": None if text("AX") == "" else int(text("AX").lstrip("+")),
            "eventos": ticked(text("AY"), list(EVENTS), EVENTS)[0], "enterado": text("AZ"),
            "@submissionTime": utc(moment, "America/New_York"),
        })
    return result


os.makedirs(TARGET, exist_ok=True)
for name, answers in {"star-wars": star_wars(), "redcap-survey": redcap(), "r-survey": spanish()}.items():
    with open(os.path.join(TARGET, name + ".json"), "w", encoding="utf-8") as file:
        # One line for each row, so that a difference shows its row.
        lines = [json.dumps(key) + ": " + json.dumps(row, ensure_ascii=False) for key, row in answers.items()]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
