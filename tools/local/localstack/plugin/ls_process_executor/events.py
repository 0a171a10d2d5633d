"""EventBridge target delivery with RetryPolicy and DeadLetterConfig (upstream: one try, then a log line)."""

import json
import logging
import os
import threading
import time

from botocore.exceptions import ClientError

LOG = logging.getLogger(__name__)
BASE = float(os.environ.get("LSPE_EVENTS_RETRY_BASE") or 1)  # seconds before the first retry; doubled each time
MAX = float(os.environ.get("LSPE_EVENTS_RETRY_MAX") or 30)
# AWS does not retry these: the target was deleted or may not be used
FINAL = {"ResourceNotFoundException", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "AccessDeniedException", "AccessDenied", "NotFound", "InvalidParameterValueException", "StateMachineDoesNotExist"}


def apply():
    from localstack.aws.connect import connect_to
    from localstack.services.events.target import TargetSenderFactory
    from localstack.utils.aws.arns import extract_account_id_from_arn, extract_region_from_arn
    from localstack.utils.json import BytesEncoder

    def dead_letter(self, event, error, attempts, condition):
        arn = (self.target.get("DeadLetterConfig") or {}).get("Arn")
        if not arn:
            LOG.info("event dropped, target %s of %s: %s", self.target_id, self.rule_arn, error)
            return
        code = error.response["Error"].get("Code", "") if isinstance(error, ClientError) else type(error).__name__
        text = error.response["Error"].get("Message", "") if isinstance(error, ClientError) else str(error)
        attr = {
            "RULE_ARN": self.rule_arn,
            "TARGET_ARN": self.arn,
            "ERROR_CODE": code.rsplit(".", 1)[-1] or "SDK_CLIENT_ERROR",
            "ERROR_MESSAGE": text or code,
        }
        if condition:
            attr |= {"EXHAUSTED_RETRY_CONDITION": condition, "RETRY_ATTEMPTS": str(attempts)}
        sqs = connect_to(aws_access_key_id=extract_account_id_from_arn(arn), region_name=extract_region_from_arn(arn)).sqs
        try:
            url = sqs.get_queue_url(QueueName=arn.rsplit(":", 1)[-1])["QueueUrl"]
            sqs.send_message(
                QueueUrl=url,
                MessageBody=event if isinstance(event, str) else json.dumps(event, cls=BytesEncoder),
                MessageAttributes={k: {"DataType": "String", "StringValue": v or "-"} for k, v in attr.items()},
            )
        except Exception as e:
            LOG.warning("dead letter queue %s of %s: %s", arn, self.rule_arn, e)

    def deliver(self, send, event, trace_header, first):
        policy = self.target.get("RetryPolicy") or {}
        limit = policy.get("MaximumRetryAttempts", 185)
        age = policy.get("MaximumEventAgeInSeconds", 86400)
        begin, error, attempts = time.monotonic(), first, 0
        while True:
            code = error.response["Error"].get("Code", "") if isinstance(error, ClientError) else type(error).__name__
            if code in FINAL:
                return dead_letter(self, event, error, attempts, None)
            if attempts >= limit:
                return dead_letter(self, event, error, attempts, "MaximumRetryAttempts")
            pause = min(MAX, BASE * 2**attempts)
            if time.monotonic() - begin + pause >= age:
                return dead_letter(self, event, error, attempts, "MaximumEventAgeInSeconds")
            time.sleep(pause)
            attempts += 1
            try:
                return send(self, event, trace_header)
            except Exception as e:
                error = e

    def wrap(send):
        def send_event(self, event, trace_header):
            try:
                return send(self, event, trace_header)
            except Exception as e:
                threading.Thread(target=deliver, args=(self, send, event, trace_header, e), daemon=True, name="events-retry").start()

        send_event.lspe = True
        return send_event

    for cls in set(TargetSenderFactory.target_map.values()):
        if "send_event" in cls.__dict__ and not getattr(cls.send_event, "lspe", False):
            cls.send_event = wrap(cls.__dict__["send_event"])
