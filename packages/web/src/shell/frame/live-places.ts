/** The first parts of the paths whose reads change with events, or are asked for at intervals. */
export const livePlaces = [
  '',
  'approvals',
  'reviews',
  'findings',
  'agents',
  'edges',
  'policies',
  'decisions',
  'audit',
  'freezes',
]

/** Whether the page at this path shows changes of others by itself. Other pages are read again when the window gets the focus. */
export const isLivePlace = (path: string): boolean => livePlaces.includes(path.split('/')[1] ?? '')
