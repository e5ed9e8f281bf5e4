import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** The time at which the page is being printed; undefined on the screen. The page is rendered before the browser lays out the paper. */
export function usePrinting(): number | undefined {
  const [at, setAt] = useState<number>()
  useEffect(() => {
    const begin = () => flushSync(() => setAt(Date.now()))
    const end = () => setAt(undefined)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return at
}
