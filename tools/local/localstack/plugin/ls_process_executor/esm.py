"""Event source mappings, nearer to AWS than LocalStack 4.14's.

- a poll a second with one batch each becomes: streams are polled at most 4 times a second as AWS does (LSPE_STREAM_POLL) and
  without a pause while full batches come; queues by long polling. The stream of a table that nobody has written to since
  the last poll is polled at the next write, or after 5 s (TTL writes, too): else polling takes most of LocalStack's time
- a queue's mapping invokes up to 5 batches at once as AWS does at first (LSPE_SQS_CONCURRENCY, and the
  mapping's ScalingConfig.MaximumConcurrency), not one after the other
- BisectBatchOnFunctionError splits (upstream: ignored); a split does not count as a retry, as on AWS
- DISCARDED after retries or age still go to the on-failure destination through LocalStack's own code
"""

import logging
import os
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

LOG = logging.getLogger(__name__)
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
STREAM_IDLE = 5.0  # seconds until a table without writes is polled again
STREAM_POLL = float(os.environ.get("LSPE_STREAM_POLL") or 0.25)
SQS_CONCURRENCY = int(os.environ.get("LSPE_SQS_CONCURRENCY") or 5)
SQS_WAIT = int(os.environ.get("LSPE_SQS_WAIT") or 20)
BACKOFF_MAX = float(os.environ.get("LSPE_STREAM_RETRY_MAX") or 60)


class Table:
    """When somebody last wrote to a table. Its stream's pollers wait for the next write."""

    def __init__(self):
        self.latest = 0.0
        self.written = threading.Condition()

    def note(self):
        with self.written:
            self.latest = time.monotonic()
            self.written.notify_all()

    def wait(self, seen, seconds):
        """Returns after the next write behind the one that was seen, or after some seconds."""
        with self.written:
            self.written.wait_for(lambda: self.latest != seen, seconds)


tables = defaultdict(Table)


def tables_of(request):
    """Returns the tables that a request writes to."""
    names = [request.get("TableName"), *(request.get("RequestItems") or ())]
    names += [write["TableName"] for item in request.get("TransactItems") or () for write in item.values()]
    return {name.split("/")[-1] for name in names if name}


def note_writes():
    from localstack.services.dynamodb.v2.provider import DynamoDBProvider

    original = DynamoDBProvider.forward_request

    def forward_request(self, context, service_request=None):
        try:
            return original(self, context, service_request)
        finally:
            if context.operation.name in WRITES:
                for name in tables_of(context.service_request):
                    tables[name].note()

    DynamoDBProvider.forward_request = forward_request


def apply():
    note_writes()
    from localstack.services.lambda_.event_source_mapping import esm_worker, esm_worker_factory
    from localstack.services.lambda_.event_source_mapping.event_processor import BatchFailureError, PartialBatchFailureError
    from localstack.services.lambda_.event_source_mapping.pollers.sqs_poller import SqsPoller
    from localstack.services.lambda_.event_source_mapping.pollers.poller import get_batch_item_failures
    from localstack.services.lambda_.event_source_mapping.pollers.stream_poller import StreamPoller
    from localstack.utils.backoff import ExponentialBackoff

    esm_worker.LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC = 0  # the pollers below pause by themselves

    # the pollers get only a part of the mapping's settings; pass all of them
    original_worker = esm_worker_factory.EsmWorkerFactory.get_esm_worker

    def get_esm_worker(self):
        worker = original_worker(self)
        if worker.poller is not None:
            worker.poller.lspe_config = self.esm_config
        return worker

    esm_worker_factory.EsmWorkerFactory.get_esm_worker = get_esm_worker

    # -- streams
    original_get_records = StreamPoller.get_records

    def get_records(self, shard_iterator):
        response = original_get_records(self, shard_iterator)
        self.lspe_full |= len(response.get("Records", [])) >= self.stream_parameters["BatchSize"]
        return response

    original_poll_events = StreamPoller.poll_events

    def poll_stream(self):
        """Polls each shard, then waits for the next write. Upstream polls one shard at a time."""
        table = tables[self.source_arn.split("table/")[-1].split("/")[0]] if ":dynamodb:" in self.source_arn else None
        seen = table and table.latest
        self.lspe_full = False
        try:
            for _ in range(max(1, len(self.shards or ()))):
                original_poll_events(self)
        finally:
            if not self.lspe_full and not self._is_shutdown.wait(STREAM_POLL) and table:
                table.wait(seen, STREAM_IDLE)

    def forward(self, shard_id, records):
        polled = self.transform_into_events(records, shard_id)
        parsed = self.pre_filter(polled)
        matching = self.post_filter(self.filter_events(parsed))
        if not matching:
            return
        events = self.add_source_metadata(matching)
        bisect = bool(getattr(self, "lspe_config", {}).get("BisectBatchOnFunctionError"))
        max_age = self.stream_parameters.get("MaximumRecordAgeInSeconds", -1)
        seen = time.time()
        error = {}

        def discard(condition, batch, attempts):
            context = self.processor.generate_event_failure_context(
                abort_condition=condition, error=error, attempts_count=attempts, partner_resource_arn=self.partner_resource_arn
            )
            self.send_events_to_dlq(shard_id, batch, context=context)

        queue = [(events, 0)]  # (batch, retries so far), the head first: order within the shard stays
        boff = ExponentialBackoff(initial_interval=0.5, max_interval=BACKOFF_MAX)
        while queue and not self._is_shutdown.is_set():
            batch, attempts = queue.pop(0)
            if self.max_retries_exceeded(attempts):
                discard("RetryAttemptsExhausted", batch, attempts)
                boff.reset()
                continue
            if attempts and max_age and max_age > 0:
                # counted from the first poll: DynamoDB Local cuts ApproximateCreationDateTime to the minute
                if time.time() - seen >= max_age:
                    discard("RecordAgeExceeded", batch, attempts)
                    boff.reset()
                    continue
            if attempts:
                self._is_shutdown.wait(boff.next_backoff())
            try:
                self.processor.process_events_batch(batch)
                boff.reset()
            except PartialBatchFailureError as ex:
                error = ex.error
                numbers = {self.get_sequence_number(e) for e in batch}
                failed = get_batch_item_failures(ex.partial_failure_payload, numbers)
                if failed is not None and not failed:
                    continue
                rest = batch if failed is None else self.bisect_events(min(failed, key=int), batch)[1]
                if bisect and failed is None and len(rest) > 1:
                    half = (len(rest) + 1) // 2
                    queue[:0] = [(rest[:half], attempts), (rest[half:], attempts)]
                else:
                    # progress was made: AWS counts retries of the checkpointed rest from the start
                    queue.insert(0, (rest, attempts + 1 if len(rest) == len(batch) else 1))
            except Exception as ex:  # BatchFailureError, or the function was deleted, is throttled, ...
                if isinstance(ex, BatchFailureError):
                    error = ex.error
                else:
                    LOG.warning("stream batch of %s failed: %s", self.source_arn, ex)
                if bisect and len(batch) > 1:
                    half = (len(batch) + 1) // 2
                    queue[:0] = [(batch[:half], attempts), (batch[half:], attempts)]
                else:
                    queue.insert(0, (batch, attempts + 1))

    StreamPoller.get_records = get_records
    StreamPoller.poll_events = poll_stream
    StreamPoller.forward_events_to_target = forward

    # -- queues
    def poll_queue(self):
        config = getattr(self, "lspe_config", {})
        if not hasattr(self, "lspe_pool"):
            n = (config.get("ScalingConfig") or {}).get("MaximumConcurrency") or SQS_CONCURRENCY
            self.lspe_slots = threading.Semaphore(n)
            self.lspe_pool = ThreadPoolExecutor(n, thread_name_prefix="sqs-esm")
            self.lspe_closed = False
        window = self.maximum_batching_window
        self.lspe_slots.acquire()
        handed = False
        try:
            def receive(count, wait):
                return self.source_client.receive_message(
                    QueueUrl=self.queue_url,
                    MaxNumberOfMessages=min(count, 10),
                    WaitTimeSeconds=wait,
                    MessageAttributeNames=["All"],
                    MessageSystemAttributeNames=["All"],
                ).get("Messages", [])

            messages = receive(self.batch_size, SQS_WAIT)
            if not messages or self.lspe_closed:
                return
            end = time.monotonic() + window  # MaximumBatchingWindowInSeconds: gather until full or over
            while len(messages) < self.batch_size and not self.lspe_closed:
                left = end - time.monotonic()
                if left <= 0 and len(messages) % 10:
                    break
                more = receive(self.batch_size - len(messages), max(0, min(20, int(left + 0.5))))
                messages += more
                if left <= 0 and not more:
                    break

            def work():
                try:
                    self.handle_messages(messages)
                except BatchFailureError as e:
                    LOG.debug("SQS batch failed: %s", e)
                except Exception as e:
                    LOG.warning("SQS batch of %s failed: %s", self.queue_url, e)
                finally:
                    self.lspe_slots.release()

            handed = True
            self.lspe_pool.submit(work)
        finally:
            if not handed:
                self.lspe_slots.release()

    def close_queue(self):
        self.lspe_closed = True
        if hasattr(self, "lspe_pool"):
            self.lspe_pool.shutdown(wait=False)

    SqsPoller.poll_events = poll_queue
    SqsPoller.close = close_queue
