"""The record of a change names the row; SQLite remakes the table for that, which needs its triggers anew."""

from importlib import import_module

from django.db import migrations, models

permanent = import_module("papertrade_site.limits.migrations.0003_permanent_changes")
ON = permanent.run(permanent.SQLITE, permanent.POSTGRESQL)
OFF = permanent.run(permanent.SQLITE_BACK, permanent.POSTGRESQL_BACK)


class Migration(migrations.Migration):

    dependencies = [
        ("limits", "0003_permanent_changes"),
    ]

    operations = [
        migrations.RunPython(OFF, ON),
        migrations.AddField(
            model_name="change",
            name="row",
            field=models.CharField(blank=True, default="", editable=False, max_length=60),
        ),
        migrations.RunPython(ON, OFF),
    ]
