# Put this file into Airflow's folder of DAGs. Each worker needs formferry, the project in /srv/forms, and the variables of README.md for several hosts.
import subprocess
from datetime import timedelta

import pendulum
from airflow.decorators import dag, task
from airflow.exceptions import AirflowException, AirflowFailException

# Wrong configuration (2), stopped to protect the form (3), rows in doubt (4): a person must look.
FINAL = {2, 3, 4}


@dag(
    schedule="0 2 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Berlin"),
    catchup=False,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=10)},
)
def formferry_contacts():
    @task
    def run():
        command = ["/opt/formferry/bin/formferry", "run", "contacts", "--confirm", "live", "--project", "/srv/forms"]
        code = subprocess.run(command, check=False).returncode
        if code in FINAL:
            raise AirflowFailException(f"formferry exited with code {code}")
        # Rows that need review (1) are not a failure. After any other code, such as 6 (another run holds the lock, or a
        # killed one did) or 70 (the database was lost), Airflow runs the task again, `retries` times: nothing is sent twice.
        if code not in (0, 1):
            raise AirflowException(f"formferry exited with code {code}")

    run()


formferry_contacts()
