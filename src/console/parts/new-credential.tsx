// Asks for another token or key, in one place, once the gateway has refused the last one. Everything else stays as it is.
import { useState } from 'preact/hooks';
import { renew, useIsRefused } from '../api/session.js';

/** @param label what is asked for */
export function NewCredential({ label }: { label: string }) {
  const isRefused = useIsRefused();
  const [token, setToken] = useState('');
  const [message, setMessage] = useState('');
  if (!isRefused) return null;
  const goOn = (event: Event): void => {
    event.preventDefault();
    try {
      renew(token);
      setMessage('');
      setToken('');
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  return (
    <form class="filters bar" onSubmit={goOn}>
      <label class="wide">
        {label}
        <input
          type="password"
          required
          autocomplete="off"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <button type="submit">Go on</button>
      <p role="alert" class="fault">
        {message}
      </p>
    </form>
  );
}
