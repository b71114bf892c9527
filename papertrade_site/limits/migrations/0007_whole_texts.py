"""The record keeps texts of any length, such as an incident's; SQLite remakes the table, see 0004."""

from importlib import import_module

from django.db import migrations, models

permanent = import_module("papertrade_site.limits.migrations.0003_permanent_changes")
ON = permanent.run(permanent.SQLITE, permanent.POSTGRESQL)
OFF = permanent.run(permanent.SQLITE_BACK, permanent.POSTGRESQL_BACK)


class Migration(migrations.Migration):

    dependencies = [
        ("limits", "0006_named_wallets"),
    ]

    operations = [
        migrations.RunPython(OFF, ON),
        migrations.AlterField(model_name="change", name="what", field=models.CharField(max_length=200)),
        migrations.AlterField(model_name="change", name="old", field=models.TextField(blank=True)),
        migrations.AlterField(model_name="change", name="new", field=models.TextField(blank=True)),
        migrations.RunPython(ON, OFF),
    ]
