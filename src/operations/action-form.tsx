// Buttons for what an operator may do, where the pages have a password; elsewhere the commands beside them do it.
import type { JSX } from 'preact';
import type { LoginSession } from '../dashboards/access.ts';
import { ACTIONS } from './actions.ts';

type Props = Readonly<{
  session: LoginSession | undefined;
  /** Its name in actions.ts, and what stands on its button. */
  action: string;
  label: string;
  fields: Readonly<Record<string, string>>;
  /** The page that is shown afterwards. */
  to: string;
  isQuiet?: boolean;
}>;

export function ActionForm({ session, action, label, fields, to, isQuiet = false }: Props): JSX.Element | null {
  if (!session) return null;
  const id = `reason-${action}`;
  return (
    <form method="post" action={ACTIONS} class="action">
      {Object.entries({ ...fields, action, to, formToken: session.formToken }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label class="hidden" for={id}>
        Why you {label.toLowerCase()} it
      </label>
      <input id={id} name="reason" maxLength={200} placeholder="why (optional)" />
      <button type="submit" class={isQuiet ? 'quiet' : undefined}>
        {label}
      </button>
    </form>
  );
}
