select jsonb_build_object('kind', 'account', 'id', id, 'name', name) from customers
union all
select jsonb_build_object(
  'kind', 'subscription',
  'id', id,
  'accountId', customer_id,
  'targetUrl', url,
  'eventTypes', events,
  'integration', 'other',
  'description', label,
  'createdAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'secret', secret,
  -- 'personalData', true, -- as until today; without it, customers no longer get the personal data of your event types
  'signatures', jsonb_build_array(jsonb_build_object(
    'type', 'hmac', 'header', 'X-Shop-Signature', 'over', 'body', 'encoding', 'hex', 'prefix', 'sha256='
  )),
  'state', case when enabled then 'active' else 'disabled' end,
  'disabledReason', case when not enabled then 'account' end
) from webhook_endpoints;
