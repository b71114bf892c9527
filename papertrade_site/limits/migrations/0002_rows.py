"""One row for each server and one for the site, all of it unset, so that an operator has them to fill in."""

from django.db import migrations


def add_rows(apps, schema_editor):
    rules = apps.get_model("limits", "ServerRules")
    for server in ("liquidations", "analytics"):
        rules.objects.using(schema_editor.connection.alias).get_or_create(server=server)
    site = apps.get_model("limits", "SiteRules")
    site.objects.using(schema_editor.connection.alias).get_or_create(id=1)


class Migration(migrations.Migration):

    dependencies = [
        ("limits", "0001_rules"),
    ]

    operations = [
        migrations.RunPython(add_rows, migrations.RunPython.noop),
    ]
