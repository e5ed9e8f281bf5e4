/** News is remembered for this long, for a caller that asks for it a moment later. */
const rememberedMs = 60_000
const mostRemembered = 10_000

/** Tells held calls that their approval was resolved, used, or has expired. The caller then asks the control plane for the approval. */
export class ApprovalNews {
  private readonly waiting = new Map<string, Set<() => void>>()
  /** When there was news of an approval, oldest first. */
  private readonly told = new Map<string, number>()
  private readonly now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  tell(approvalId: string): void {
    this.told.delete(approvalId)
    this.told.set(approvalId, this.now())
    this.forgetOld()
    for (const end of this.waiting.get(approvalId) ?? []) end()
  }

  /** Resolves when there is or was news of the approval, after `limitMs`, or when the signal is aborted. */
  async wait(approvalId: string, limitMs: number, signal: AbortSignal): Promise<void> {
    this.forgetOld()
    if (signal.aborted || limitMs <= 0 || this.told.has(approvalId)) return
    const waiters = this.waiting.get(approvalId) ?? new Set()
    this.waiting.set(approvalId, waiters)
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        waiters.delete(end)
        if (waiters.size === 0 && this.waiting.get(approvalId) === waiters) this.waiting.delete(approvalId)
        resolve()
      }
      const timer = setTimeout(end, limitMs)
      signal.addEventListener('abort', end, { once: true })
      waiters.add(end)
    })
  }

  private forgetOld(): void {
    for (const [approvalId, at] of this.told) {
      if (this.told.size <= mostRemembered && this.now() - at < rememberedMs) return
      this.told.delete(approvalId)
    }
  }
}
