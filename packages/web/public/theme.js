// Sets the theme that the reader chose before the first paint. Without a choice, the theme of the system is used.
try {
  const theme = localStorage.getItem('mandate theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // The browser does not allow storage.
}
