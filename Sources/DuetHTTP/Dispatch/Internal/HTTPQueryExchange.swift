import HTTPTypes

/// Has queries of one type answered over HTTP.
struct HTTPQueryExchange<Q: HTTPQuery>: QueryExchange {
    private let exchange: MessageExchange<Q>
    private let payloads: PayloadCoder<Q.Payload>

    init(_ server: HTTPServer) throws {
        payloads = PayloadCoder(Q.coding ?? server.settings.coding)
        let mediaType = payloads.mediaTypes?.joined(separator: ", ") ?? "*/*"
        let accept = "\(mediaType), application/problem+json"
        let faults = PayloadCoder<Q.Payload>.faults(of: Q.self, server.settings)
        guard faults.isEmpty else { throw InvalidHTTPAPI(faults) }
        exchange = try MessageExchange(Q.method.request, server, accept: accept, isQuery: true)
    }

    func send(_ query: Q) async throws -> Q.Value {
        let answer = try await exchange.send(query)
        let (response, body) = (answer.response, answer.body)
        do {
            if !payloads.isAbsent(response, body), !payloads.reads(response.headerFields[.contentType]) {
                throw exchange.failure(.mediaType, answer)
            }
            return try Q.value(from: payloads.payload(of: response, body), answering: query)
        } catch let error where !(error is CancellationError || error is HTTPFailure) {
            throw exchange.failure(.body(error), answer)
        }
    }
}
