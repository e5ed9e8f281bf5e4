/** What to say instead of an error if it means that the disk is full; the error itself otherwise. */
export function explainFullDisk(error: unknown, folder: string): unknown {
  const { code, errcode } = error as { code?: string; errcode?: number }
  if (!['ENOSPC', 'EDQUOT'].includes(code ?? '') && errcode !== sqliteFull) return error
  return new Error(`the disk that holds the state folder ${folder} is full; make room and start the edge again`)
}

const sqliteFull = 13
