// Asks for a newer token, in one place, once the gateway has refused the last one. Everything else stays as it is.
import { useState } from 'preact/hooks';
import { renewToken, useIsRefused } from '../api/session.js';

export function NewToken() {
  const isRefused = useIsRefused();
  const [token, setToken] = useState('');
  const [message, setMessage] = useState('');
  if (!isRefused) return null;
  const renew = (event: Event): void => {
    event.preventDefault();
    try {
      renewToken(token);
      setMessage('');
      setToken('');
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  return (
    <form class="filters bar" onSubmit={renew}>
      <label class="wide">
        A new token goes on where the last one ended
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
