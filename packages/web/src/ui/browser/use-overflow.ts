import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** Whether the first child of an element is wider than the element. */
export function useOverflow<E extends HTMLElement>(): [RefObject<E | null>, boolean] {
  const ref = useRef<E>(null)
  const [isWider, setWider] = useState(false)
  useLayoutEffect(() => {
    const element = ref.current
    const content = element?.firstElementChild
    if (!element || !(content instanceof HTMLElement)) return
    const measure = () => setWider(content.offsetWidth > element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(content)
    return () => observer.disconnect()
  }, [])
  return [ref, isWider]
}
