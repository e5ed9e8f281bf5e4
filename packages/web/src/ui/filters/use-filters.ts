import { useNavigate } from '@tanstack/react-router'

type Search = Record<string, string | undefined>

/** Changes the filters in the address of a page. The parameters of `kept`, such as a tab, stay when the filters are cleared. */
export function useFilters(to: string, kept: readonly string[] = []) {
  const navigate = useNavigate()
  const go = (next: (before: Search) => Search, replace = false) =>
    void navigate({ to: to as '/', search: ((before: Search) => next(before)) as never, replace })
  return {
    /**
     * Puts a value into the address. Undefined takes it out. A search is typed letter by letter, so *Back* skips the letters. *Back* brings a
     * search back that was taken out.
     */
    change: (name: string, value: string | undefined) =>
      go((before) => ({ ...before, [name]: value }), name === 'search' && value !== undefined),
    clear: () => go((before) => Object.fromEntries(Object.entries(before).filter(([name]) => kept.includes(name)))),
  }
}
