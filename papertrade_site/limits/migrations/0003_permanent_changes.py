"""The database itself refuses to change or delete the record of a change.

SQLite drops triggers with the table that it remakes for most later alterations: a migration that alters
``Change`` has to make these anew. A test looks for them after all migrations.
"""

from django.db import migrations

SQLITE = [
    f"""
    CREATE TRIGGER limits_change_{event}_refused BEFORE {event} ON limits_change {condition}
    BEGIN SELECT RAISE(ABORT, 'a recorded change is permanent'); END
    """
    for event, condition in {
        "update": "",
        "delete": "",
        # INSERT OR REPLACE deletes a row without the trigger above.
        "insert": "WHEN EXISTS (SELECT 1 FROM limits_change WHERE id = NEW.id)",
    }.items()
]
POSTGRESQL = [
    """
    CREATE FUNCTION limits_change_refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'a recorded change is permanent' USING ERRCODE = 'restrict_violation'; END $$
    """,
    """
    CREATE TRIGGER limits_change_refused BEFORE UPDATE OR DELETE OR TRUNCATE ON limits_change
    FOR EACH STATEMENT EXECUTE FUNCTION limits_change_refuse()
    """,
]
SQLITE_BACK = [f"DROP TRIGGER limits_change_{event}_refused" for event in ("update", "delete", "insert")]
POSTGRESQL_BACK = [
    "DROP TRIGGER limits_change_refused ON limits_change",
    "DROP FUNCTION limits_change_refuse()",
]


def run(sqlite, postgresql):
    def operation(apps, schema_editor):
        for statement in {"sqlite": sqlite, "postgresql": postgresql}[schema_editor.connection.vendor]:
            schema_editor.execute(statement)

    return operation


class Migration(migrations.Migration):

    dependencies = [
        ("limits", "0002_rows"),
    ]

    operations = [
        migrations.RunPython(run(SQLITE, POSTGRESQL), run(SQLITE_BACK, POSTGRESQL_BACK)),
    ]
