"""What the forms of limits are called and say; nothing of it is in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('limits', '0007_whole_texts'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='serverrules',
            options={'ordering': ['server'], 'verbose_name': 'set of server limits', 'verbose_name_plural': 'server limits'},
        ),
        migrations.AlterModelOptions(
            name='siterules',
            options={'verbose_name': 'set of site limits', 'verbose_name_plural': 'site limits'},
        ),
        migrations.AlterField(
            model_name='clientnetwork',
            name='is_blocked',
            field=models.BooleanField(default=False, help_text='Refuses every request with 403 and the reason: to the one server that the rule is for, or to both and to pages. Needs a reason, and takes no limit.', verbose_name='Blocked'),
        ),
        migrations.AlterField(
            model_name='serverrules',
            name='is_on',
            field=models.BooleanField(default=True, help_text='Off: clients still connect and see the tools, but every call of one gets the message.', verbose_name='On'),
        ),
        migrations.AlterField(
            model_name='toolswitch',
            name='is_on',
            field=models.BooleanField(default=False, help_text='Off: clients still see the tool, but every call of it gets the reason.', verbose_name='On'),
        ),
    ]
