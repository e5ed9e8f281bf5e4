import { type RefObject, startTransition, useEffect, useRef, useState } from 'react'

const waiting = new Map<object, () => void>()
let isScheduled = false

/** Does one piece of work in each frame, so that a reader who scrolls fast does not wait for all of it. A newer work of an owner replaces its older one. */
function inTurn(owner: object, work: () => void): void {
  waiting.set(owner, work)
  schedule()
}

function schedule(): void {
  if (isScheduled || waiting.size === 0) return
  isScheduled = true
  requestAnimationFrame(() => {
    isScheduled = false
    const [owner, work] = waiting.entries().next().value ?? []
    if (owner) waiting.delete(owner)
    work?.()
    schedule()
  })
}

interface NearOptions {
  initially: boolean
  /** How near it must be, in pixels. */
  within: number
  /** Called when the element comes near or goes away, with its height in pixels. */
  onChange?: (isNear: boolean, height: number) => void
}

/** True while an element is near the window, or has the focus. */
export function useNear(ref: RefObject<Element | null>, { initially, within, onChange }: NearOptions): boolean {
  const [isNear, setNear] = useState(initially)
  const shown = useRef(initially)
  const told = useRef(onChange)
  told.current = onChange
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const owner = {}
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page gets several entries at once, the oldest first.
        const last = entries.at(-1)
        if (!last) return
        const { isIntersecting, boundingClientRect } = last
        const change = () => {
          const next = isIntersecting || element.contains(document.activeElement)
          told.current?.(next, boundingClientRect.height)
          shown.current = next
          // React renders it in slices between frames.
          startTransition(() => setNear(next))
        }
        // Only what enters or leaves the document is work.
        if (isIntersecting === shown.current) waiting.delete(owner)
        else inTurn(owner, change)
      },
      { rootMargin: `${within}px 0px` },
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      waiting.delete(owner)
    }
  }, [ref, within])
  return isNear
}
