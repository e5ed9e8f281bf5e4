const faults: Record<string, string> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EBUSY: 'it is in use, or something is mounted on it',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file or a broken link has this name',
  ELOOP: 'its links lead to one another',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}

/** Describes an error of the file system in words, without the path. Returns undefined for other errors. */
export function fileFault(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'mkdir' && code === 'ENOENT') return 'the folder cannot be made here'
  return syscall === undefined ? undefined : faults[code ?? '']
}
