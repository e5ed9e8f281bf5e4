export interface AccessToken {
  value: string
  /** Unix time in ms. */
  expiresAt: number
}

export interface SharedTokens {
  /** Gives a token to the other tabs. */
  give(token: AccessToken): void
  /** Waits for a token of another tab, for a short time. */
  wait(): Promise<void>
}

/** The other tab sends its token before it frees the lock, so it arrives at about the same time as the lock. */
const waitMs = 100

/** Shares access tokens with the other tabs of a browser that have the same session. `take` is called with each token of another tab. */
export function shareTokens(name: string, take: (token: AccessToken) => void): SharedTokens {
  if (typeof BroadcastChannel === 'undefined') return { give: () => {}, wait: async () => {} }
  const channel = new BroadcastChannel(name)
  const waiting = new Set<() => void>()
  channel.onmessage = ({ data }: { data: AccessToken }) => {
    take(data)
    for (const resolve of waiting) resolve()
  }
  // A process of Node.js must not stay alive for it. Browsers have no such method.
  const { unref } = channel as { unref?: () => void }
  unref?.call(channel)
  return {
    give: (token) => channel.postMessage(token),
    wait: () =>
      new Promise<void>((resolve) => {
        waiting.add(resolve)
        setTimeout(resolve, waitMs)
      }).then(() => waiting.clear()),
  }
}
