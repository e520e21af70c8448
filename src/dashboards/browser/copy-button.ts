// A button that copies a text, and says so.

/** `backAfterMs`: when it has its label again. Undefined where the browser lets no page copy: it does over TLS and on the loopback only. */
export function copyButton(label: string, textOf: () => string, backAfterMs?: number): HTMLButtonElement | undefined {
  if (!navigator.clipboard) return undefined;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = label;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf());
    button.textContent = 'Copied';
    if (backAfterMs !== undefined) {
      setTimeout(() => {
        button.textContent = label;
      }, backAfterMs);
    }
  });
  return button;
}
