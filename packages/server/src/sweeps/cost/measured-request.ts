import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { BodyPlan } from './worst-shapes.ts'

export interface Prepared {
  url: string
  method: string
  headers: Record<string, string>
  plan: BodyPlan | undefined
}

/** The resources that the server's process used for one request. */
export interface Cost {
  /** The status of the response. 0 if the connection ended without one. */
  status: number
  cpuMs: number
  /** Growth of heap and buffers right after the request, before a garbage collection. */
  memoryMb: number
}

/** A client that runs in a separate process. */
export class MeasuredClient {
  private readonly child: ChildProcess = fork(new URL('./send-plans.ts', import.meta.url), { execArgv: [] })

  stop(): void {
    this.child.kill()
  }

  /**
   * Sends the request repeatedly, at most `tries` times, until one run takes less than `enoughMs`. Other processes on the
   * machine can make single runs slower.
   */
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
