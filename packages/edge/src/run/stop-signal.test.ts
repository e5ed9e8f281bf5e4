import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stopSignal } from './stop-signal.ts'

const names = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'] as const

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it.each(names)(
  '%s stops; the same signal from a terminal and from npx is one, and a later signal ends the process',
  (name) => {
    const before = names.map((each) => process.listeners(each))
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
    const signal = stopSignal()
    try {
      process.emit(name)
      expect(signal.reason).toBe(name)
      vi.advanceTimersByTime(250)
      process.emit('SIGTERM')
      expect(exit).not.toHaveBeenCalled()
      vi.advanceTimersByTime(100)
      process.emit(name)
      expect(exit).toHaveBeenCalledWith(1)
    } finally {
      names.forEach((each, index) => {
        for (const listener of process.listeners(each))
          if (!before[index]!.includes(listener)) process.off(each, listener)
      })
    }
  },
)
