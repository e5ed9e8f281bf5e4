// What bench/dashboard.ts measures inside the page. Playwright sends `measureInPage` to the browser as text.

export interface Found {
  /** From the reader's act to the first row on the screen, in milliseconds. */
  totalMs: number
  /** The part of it in which requests for the rows were under way. */
  apiMs: number
}

export interface Frames {
  /** Times between two frames, in milliseconds. */
  intervals: number[]
  /** Durations of frames that took longer than 50 ms to produce. */
  longFrames: number[]
}

export interface PageProbe {
  /** Remembers the list that is shown, and when the reader acts. */
  beforeFilter(): void
  /** Waits for the first row of another list. */
  firstRow(): Promise<Found>
  startFrames(): void
  stopFrames(): Frames
  /** Waits for a row with the text. Returns when it was on the screen, Unix time in ms. */
  rowWith(text: string): Promise<number>
}

/** Adds the probe to the page. */
export function measureInPage(): void {
  const painted = () =>
    new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))
  /** Waits until `find` returns something, at each change of the document. */
  const found = <T>(find: () => T | undefined) =>
    new Promise<T>((resolve) => {
      const look = () => {
        const value = find()
        if (value === undefined) return false
        observer.disconnect()
        resolve(value)
        return true
      }
      const observer = new MutationObserver(look)
      if (!look()) observer.observe(document, { subtree: true, childList: true, characterData: true })
    })
  let actedAt = 0
  let shownList: Element | null = null
  const list = () => document.querySelector('table[aria-label="Agents"]')
  const act = (event: Event) => {
    actedAt = event.timeStamp
  }
  for (const type of ['click', 'input']) document.addEventListener(type, act, { capture: true })

  let frames: Frames = { intervals: [], longFrames: [] }
  let isRunning = false
  new PerformanceObserver((entries) => {
    for (const { duration } of entries.getEntries()) if (duration > 50) frames.longFrames.push(duration)
  }).observe({ type: 'long-animation-frame' })

  const probe: PageProbe = {
    beforeFilter() {
      shownList = list()
      performance.clearResourceTimings()
    },
    async firstRow() {
      await found(() => (list() !== shownList && list()?.querySelector('th[scope="row"]') ? true : undefined))
      const shownAt = performance.now()
      await painted()
      // A search may need several requests, one after the other, until it finds an agent.
      const requests = performance
        .getEntriesByType('resource')
        .filter(({ name, startTime }) => /\/agents\?/.test(name) && startTime >= actedAt && startTime < shownAt)
      const apiMs = requests.length > 0 ? requests.reduce((sum, { duration }) => sum + duration, 0) : Number.NaN
      return { totalMs: performance.now() - actedAt, apiMs }
    },
    startFrames() {
      frames = { intervals: [], longFrames: [] }
      isRunning = true
      let last = performance.now()
      const next = (now: number) => {
        frames.intervals.push(now - last)
        last = now
        if (isRunning) requestAnimationFrame(next)
      }
      requestAnimationFrame((now) => {
        last = now
        requestAnimationFrame(next)
      })
    },
    stopFrames() {
      isRunning = false
      return frames
    },
    async rowWith(text) {
      await found(() => [...document.querySelectorAll('[data-row]')].find((row) => row.textContent.includes(text)))
      await painted()
      return Date.now()
    },
  }
  Object.assign(window, { probe })
}
