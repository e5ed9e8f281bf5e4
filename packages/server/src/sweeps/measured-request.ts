import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { BodyPlan } from './worst-shapes.ts'

export interface Prepared {
  url: string
  method: string
  headers: Record<string, string>
  plan: BodyPlan | undefined
}

/** What one request cost the process of the server. */
export interface Cost {
  /** The status of the answer; 0 if the connection ended without an answer. */
  status: number
  cpuMs: number
  /** By how much the heap and the buffers were larger right after the request, before anything was collected. */
  memoryMb: number
}

/** A client in another process. */
export class MeasuredClient {
  private readonly child: ChildProcess = fork(new URL('./send-plans.ts', import.meta.url), { execArgv: [] })

  stop(): void {
    this.child.kill()
  }

  /** Sends the request until one costs less than `enoughMs`, at most `tries` times: what else the machine does is no cost of ours. */
  async cheapest(prepared: Prepared, enoughMs: number, tries = 8): Promise<Cost> {
    await this.tell(prepared)
    let best: Cost | undefined
    for (let left = tries; left > 0 && (best === undefined || best.cpuMs >= enoughMs); left--) {
      const cost = await this.measure()
      if (best === undefined || cost.cpuMs < best.cpuMs) best = cost
    }
    return best as Cost
  }

  private async measure(): Promise<Cost> {
    const memory = memoryBytes()
    const before = process.cpuUsage()
    const { status } = (await this.tell('send')) as { status: number }
    const { user, system } = process.cpuUsage(before)
    return { status, cpuMs: (user + system) / 1000, memoryMb: (memoryBytes() - memory) / 1024 / 1024 }
  }

  private async tell(message: Prepared | 'send'): Promise<unknown> {
    const answer = once(this.child, 'message')
    this.child.send(message)
    const [said] = await answer
    return said
  }
}

function memoryBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
