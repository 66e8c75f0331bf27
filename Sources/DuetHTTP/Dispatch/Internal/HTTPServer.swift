/// Where messages are sent, by what, and what they have in common.
struct HTTPServer: Sendable {
    let baseURL: BaseURL
    let client: any HTTPClient
    let settings: HTTPSettings

    /// The messages that are sent; nil for all.
    var endpoints: [HTTPEndpoint]?

    /// Whether messages are validated before they are sent.
    var validates = true
}
