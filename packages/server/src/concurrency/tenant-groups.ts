import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseAway, DatabaseFull } from '../db/connections/database-away.ts'
import type { Database } from '../db/database.ts'
import { Refusal } from '../refusal.ts'

/** An operation that many callers of a tenant start at the same time, and that one statement can do for all of them. */
export interface GroupedOperation<Input, Output> {
  /** Chooses the inputs of the next group: the first one, and others that can run together with it. */
  choose(waiting: readonly Input[]): readonly Input[]
  /** Runs a group. Returns the result of each input, in the order of the inputs. */
  run(db: Database, tenantId: string, inputs: readonly Input[]): Promise<Output[]>
}

/** Inputs of a tenant that wait. Further inputs are refused. */
const mostWaiting = 2_000
/** How long a queue waits for more inputs if its last group had several. A larger group takes less time for each input. */
const gatherMs = 5
/** If a group fails, so many of its inputs run at the same time, each alone. */
const aloneAtOnce = 2

const overloaded = () =>
  new Refusal(503, 'too many requests are waiting; try again', { headers: { 'retry-after': '1' } })

/**
 * Runs operations in groups, to save statements. Each tenant has one group in flight for each operation. An input that arrives meanwhile
 * waits for the next group. If no group is in flight, the input runs at once, unless the last group had several inputs and ended less than
 * 5 ms ago: then many inputs arrive, and it waits for others until these 5 ms are over.
 *
 * If a group fails, its inputs run again, each alone, so that an input cannot make others fail. They do not run again if the database is
 * away. A group must therefore store nothing if it fails.
 */
export class TenantGroups {
  private readonly db: Database
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own types
  private readonly queues = new Map<GroupedOperation<any, any>, Map<string, Queue<any, any>>>()

  constructor(db: Database) {
    this.db = db
  }

  /** Throws 503 if too many inputs of the tenant are waiting. */
  run<Input, Output>(operation: GroupedOperation<Input, Output>, tenantId: string, input: Input): Promise<Output> {
    const queues = this.queues.get(operation) ?? new Map<string, Queue<Input, Output>>()
    this.queues.set(operation, queues)
    let queue = queues.get(tenantId)
    if (!queue) {
      queue = new Queue(
        (inputs) => operation.run(this.db, tenantId, inputs),
        operation.choose,
        () => queues.delete(tenantId),
      )
      queues.set(tenantId, queue)
    }
    return queue.add(input)
  }
}

interface Call<Input, Output> {
  input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

/** The calls of one operation and one tenant. */
class Queue<Input, Output> {
  private waiting: Call<Input, Output>[] = []
  private isRunning = false
  /** Calls of failed groups. */
  private alone: Call<Input, Output>[] = []
  private aloneRunning = 0
  private readonly runGroup: (inputs: readonly Input[]) => Promise<Output[]>
  private readonly choose: GroupedOperation<Input, Output>['choose']
  private readonly onEmpty: () => void

  constructor(
    runGroup: (inputs: readonly Input[]) => Promise<Output[]>,
    choose: GroupedOperation<Input, Output>['choose'],
    onEmpty: () => void,
  ) {
    this.runGroup = runGroup
    this.choose = choose
    this.onEmpty = onEmpty
  }

  add(input: Input): Promise<Output> {
    if (this.waiting.length + this.alone.length >= mostWaiting) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      this.waiting.push({ input, resolve, reject })
      if (this.isRunning) return
      this.isRunning = true
      // Requests that arrived in the same turn of the event loop are in the first group.
      setImmediate(() => this.runWaiting())
    })
  }

  private async runWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.takeGroup()
      await this.runTogether(group)
      // If as many inputs wait as the last group had, gathering more would only delay them.
      if (group.length > 1 && this.waiting.length < group.length) await pause(gatherMs)
    }
    this.isRunning = false
    this.leaveIfEmpty()
  }

  private takeGroup(): Call<Input, Output>[] {
    const chosen = new Set(this.choose(this.waiting.map(({ input }) => input)))
    const group = this.waiting.filter(({ input }) => chosen.has(input))
    this.waiting = this.waiting.filter(({ input }) => !chosen.has(input))
    return group
  }

  private async runTogether(group: readonly Call<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.runGroup(group.map(({ input }) => input))
      for (const [index, { resolve }] of group.entries()) resolve(outputs[index] as Output)
    } catch (error) {
      if (group.length === 1 || error instanceof DatabaseAway || error instanceof DatabaseFull) {
        for (const { reject } of group) reject(error)
        return
      }
      this.alone.push(...group)
      while (this.aloneRunning < aloneAtOnce && this.alone.length > 0) void this.runAlone()
    }
  }

  private async runAlone(): Promise<void> {
    this.aloneRunning++
    for (let call = this.alone.shift(); call; call = this.alone.shift()) await this.runTogether([call])
    this.aloneRunning--
    this.leaveIfEmpty()
  }

  private leaveIfEmpty(): void {
    if (!this.isRunning && this.aloneRunning === 0) this.onEmpty()
  }
}
