/** What logs and change notes call the client of a service: `payment-client` for `payment-service`. */
export function clientName(service: string): string {
  return `${service.replace(/-service$/, '')}-client`
}
