"""What the forms of limits are called and say; nothing of it is in the database."""

import django.core.validators
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
        migrations.AlterField(
            model_name='clientnetwork',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="1 to 60,000 messages in a minute. What each client of this network may send, in place of the server's limit. Empty: the server's.", null=True, validators=[django.core.validators.MinValueValidator(1, message='requests_per_minute must be 1 to 60,000'), django.core.validators.MaxValueValidator(60000, message='requests_per_minute must be 1 to 60,000')], verbose_name='Messages of one client in a minute'),
        ),
        migrations.AlterField(
            model_name='serverrules',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text='1 to 6,000 messages in a minute. A batch costs as many as it holds. A change holds within 5 seconds, for what was counted before too.', null=True, validators=[django.core.validators.MinValueValidator(1, message='requests_per_minute must be 1 to 6,000'), django.core.validators.MaxValueValidator(6000, message='requests_per_minute must be 1 to 6,000')], verbose_name='Messages of one client in a minute'),
        ),
    ]
