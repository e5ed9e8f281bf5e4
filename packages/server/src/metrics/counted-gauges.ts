import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'

/** A value of a metric that a job counts. `tenant` and `label` are empty if the metric does not have them. */
export interface CountedValue {
  name: CountedGauge
  tenant: string
  label: string
  value: number
}

interface Described {
  help: string
  labelNames: readonly string[]
  /** True if the stored value is a time in seconds since 1970, and the metric is its age. */
  isAge?: boolean
}

const byTenant = 'by tenant; `other` is all tenants together that are not among the 100 with the most'

const described = {
  mandate_counts_age_seconds: {
    help: 'Age of the values that a job counts once a minute: silent edges and instances, denied calls, pending approvals, open findings and waiting jobs.',
    labelNames: [],
    isAge: true,
  },
  mandate_edges_silent: { help: `Edges that have missed three heartbeats, ${byTenant}.`, labelNames: ['tenant'] },
  mandate_edge_instances_silent: {
    help: `Instances that missed three heartbeats within the last hour, and that no newer instance of their key replaced, ${byTenant}.`,
    labelNames: ['tenant'],
  },
  mandate_calls_denied_10m: {
    help: `Calls that were denied in the last ten minutes, without those of agents in monitor mode, ${byTenant}.`,
    labelNames: ['tenant'],
  },
  mandate_approvals_pending: { help: `Calls that wait for a person, ${byTenant}.`, labelNames: ['tenant'] },
  mandate_approvals_oldest_pending_seconds: {
    help: `Age of the call that has waited longest for a person, ${byTenant}.`,
    labelNames: ['tenant'],
    isAge: true,
  },
  mandate_findings_open: { help: `Open findings, by type and ${byTenant}.`, labelNames: ['tenant', 'type'] },
  mandate_jobs_waiting: {
    help: 'Background jobs that are due and do not run yet, or that failed and wait for their next try, by task.',
    labelNames: ['task'],
  },
  mandate_jobs_oldest_waiting_seconds: {
    help: 'For how long the first of the waiting background jobs is due, or since it was created if it failed, by task.',
    labelNames: ['task'],
    isAge: true,
  },
} as const satisfies Record<string, Described>

export type CountedGauge = keyof typeof described

const readAll = 'select name, tenant, label, value from counted_gauges'

/** Registers the metrics whose values the job `count_for_metrics` stores. A scrape reads the stored values once. */
export function measureCounts(db: Pick<Database, 'global'>, registers: [Registry]): void {
  let reading: Promise<CountedValue[] | null> | undefined
  let last: CountedValue[] | null = null
  // The gauges are collected at the same time, so they share one read. If the database cannot be reached, the last values count: their ages
  // grow, so that alerts on ages fire.
  const readOnce = () => {
    reading ??= db.global
      .all(raw<CountedValue>(readAll, []))
      .then((values) => {
        last = values
        return values
      })
      .catch(() => last)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  for (const [name, one] of Object.entries(described)) {
    const { help, labelNames, isAge }: Described = one
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      async collect() {
        const values = await readOnce()
        if (!values) return
        this.reset()
        if (labelNames.length === 0) this.remove()
        for (const { tenant, label, value } of values.filter((counted) => counted.name === name)) {
          const labels = Object.fromEntries(labelNames.map((key) => [key, key === 'tenant' ? tenant : label]))
          this.set(labels, isAge ? Math.max(0, Date.now() / 1000 - value) : value)
        }
      },
    })
  }
}
