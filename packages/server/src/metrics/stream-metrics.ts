import { Counter, Gauge, type Registry } from 'prom-client'

/** What the streams of one kind report. */
export interface StreamMetrics {
  opened(): void
  closed(): void
  /** Counts events that were given to one stream. */
  sent(events: number): void
  /** Call this when the server closes a stream because its client reads too slowly. */
  cutOff(): void
}

export interface AllStreamMetrics {
  /** Streams of people and API keys. */
  events: StreamMetrics
  /** Streams of edges. */
  edge: StreamMetrics
}

const labelNames = ['kind'] as const

/** Creates the metrics of the open streams. `kind` is `events` for streams to people and API keys, and `edge` for streams to edges. */
export function createStreamMetrics(registers: [Registry]): AllStreamMetrics {
  const open = new Gauge({ name: 'mandate_streams_open', help: 'Open streams.', labelNames, registers })
  const sent = new Counter({
    name: 'mandate_stream_events_total',
    help: 'Events sent on streams. An event counts once for each stream.',
    labelNames,
    registers,
  })
  const cutOff = new Counter({
    name: 'mandate_streams_cut_off_total',
    help: 'Streams that the server closed because their client read too slowly.',
    labelNames,
    registers,
  })
  const metricsOf = (kind: keyof AllStreamMetrics): StreamMetrics => {
    // A series that is missing until its first event hides the first increase.
    const [openOfKind, sentOfKind, cutOffOfKind] = [open.labels(kind), sent.labels(kind), cutOff.labels(kind)]
    openOfKind.set(0)
    sentOfKind.inc(0)
    cutOffOfKind.inc(0)
    return {
      opened: () => openOfKind.inc(),
      closed: () => openOfKind.dec(),
      sent: (events) => sentOfKind.inc(events),
      cutOff: () => cutOffOfKind.inc(),
    }
  }
  return { events: metricsOf('events'), edge: metricsOf('edge') }
}

/** Measures how long ago this instance has read the stored events of a tenant. */
export function measureEventReads(events: { readonly readAgeMs: number }, registers: [Registry]): void {
  new Gauge({
    name: 'mandate_events_read_age_seconds',
    help: 'Time since the last successful read of stored events, of the tenant that waits longest; 0 without open streams.',
    registers,
    collect() {
      this.set(events.readAgeMs / 1000)
    },
  })
}
