#if HTTP

    package import DuetHTTP
    import DuetContracts
    import DuetTesting
    import Foundation
    package import HTTPTypes

    /// The requirements for streamed bodies of a client that wraps another, one per case.
    package enum HTTPStreamingContract: CaseIterable, Sendable {
        /// The server has sent only the first piece.
        case `the first piece is there before the rest`
        /// The server responds when it has received the first piece.
        case `the first piece of a request is sent before the rest`
        /// The error follows the pieces received before it.
        case `a body that breaks off is an error for its reader`
        /// The connection to the server closes.
        case `a canceled reader releases the body`
        /// The body itself may still be referenced.
        case `a reader that stops releases the body`
        /// No reader has begun.
        case `a body dropped unread is released`
        /// For a caller that collects the body.
        case `a collected body is complete`
        /// The call throws instead.
        case `collecting a body that breaks off fails`

        /// Checks the clause.
        ///
        /// - Parameters:
        ///   - fields: The header fields of the origin's responses.
        ///   - wrap: Creates the client under test, which sends its requests with the given client.
        /// - Throws: ``ContractViolation``.
        package func verify(
            fields: HTTPFields = [:],
            _ wrap: (_ origin: any HTTPClient) async throws -> any HTTPClient
        ) async throws {
            let breaks =
                self == .`a body that breaks off is an error for its reader`
                || self == .`collecting a body that breaks off fails`
            let origin = HeldOrigin(fields: fields, breaks: breaks)
            let subject = HTTPStreamingSubject(origin: origin, client: try await wrap(origin))
            switch self {
            case .`the first piece is there before the rest`: try await subject.streams()
            case .`the first piece of a request is sent before the rest`: try await subject.streamsUp()
            case .`a body that breaks off is an error for its reader`: try await subject.breaks()
            case .`a canceled reader releases the body`: try await subject.isCancelled()
            case .`a reader that stops releases the body`: try await subject.stops()
            case .`a body dropped unread is released`: try await subject.drops()
            case .`a collected body is complete`: try await subject.sends()
            case .`collecting a body that breaks off fails`: try await subject.breaksWhole()
            }
        }
    }

    /// A client under test and its origin.
    struct HTTPStreamingSubject {
        let origin: HeldOrigin
        let client: any HTTPClient

        private let request = HTTPRequest(method: .get, scheme: "https", authority: "server.example", path: "/a")

        init(origin: HeldOrigin, client: any HTTPClient) {
            self.origin = origin
            self.client = client
        }

        func streams() async throws {
            var reader = try await receivedBody().makeAsyncIterator()
            try await require(reader.next(), toBe: HeldOrigin.first, "the first piece")
            origin.gate.open()
            try await require(reader.next(), toBe: HeldOrigin.rest, "the rest")
            try await require(reader.next(), toBe: nil, "the piece after the rest")
            try await require(reader.next(), toBe: nil, "the piece after the end")
        }

        func streamsUp() async throws {
            origin.gate.open()
            let body = HTTPBody(HeldPieces(gate: Gate(), error: nil, held: HeldBodies()))
            let command = HTTPRequest(method: .post, scheme: "https", authority: "server.example", path: "/a")
            let (response, _) = try await client.send(command, body: body)
            try require(response.status, toBe: .ok, "the status")
            try require(origin.pieces, toBe: [HeldOrigin.first], "the first pieces of the request bodies")
        }

        func breaks() async throws {
            var reader = try await receivedBody().makeAsyncIterator()
            try await require(reader.next(), toBe: HeldOrigin.first, "the first piece")
            origin.gate.open()
            do {
                let piece = try await reader.next()
                throw ContractViolation("The body broke off, but its reader got \(String(describing: piece)).")
            } catch let error as HTTPClientError {
                try expectBroken(error)
            }
        }

        func isCancelled() async throws {
            let body = try await receivedBody()
            let origin = origin
            let reading = Task {
                var reader = body.makeAsyncIterator()
                _ = try await reader.next()
                return try await reader.next()
            }
            await origin.gate.arrivals(1)
            reading.cancel()
            switch await reading.result {
            case .failure(is CancellationError): break
            case .success(let piece): throw ContractViolation("A canceled reader got \(String(describing: piece)).")
            case .failure(let error): throw ContractViolation("A canceled reader got \(error).")
            }
            try await origin.waitForRelease()
        }

        func stops() async throws {
            let body = try await receivedBody()
            do {
                var reader = body.makeAsyncIterator()
                try await require(reader.next(), toBe: HeldOrigin.first, "the first piece")
                try require(origin.held, toBe: 1, "the number of held bodies")
                withExtendedLifetime(reader) {}
            }
            try await origin.waitForRelease()
            withExtendedLifetime(body) {}
        }

        func drops() async throws {
            do {
                let body = try await receivedBody()
                try require(origin.held, toBe: 1, "the number of held bodies")
                withExtendedLifetime(body) {}
            }
            try await origin.waitForRelease()
        }

        func sends() async throws {
            origin.gate.open()
            let (_, data) = try await client.data(for: request)
            try require(data, toBe: HeldOrigin.first + HeldOrigin.rest, "the body")
            try await origin.waitForRelease()
        }

        func breaksWhole() async throws {
            origin.gate.open()
            do {
                _ = try await client.data(for: request)
                throw ContractViolation("The body broke off, but was collected.")
            } catch let error as HTTPClientError {
                try expectBroken(error)
            }
            try await origin.waitForRelease()
        }

        private func receivedBody() async throws -> HTTPBody {
            let (response, body) = try await client.send(request, body: nil)
            try require(response.status, toBe: .ok, "the status")
            try require(body.whole, toBe: nil, "the whole body before it arrives")
            return body
        }

        private func expectBroken(_ error: HTTPClientError) throws {
            if case .connectionFailed(_, _, let underlying) = error.reason, underlying is HeldOrigin.Broken { return }
            throw ContractViolation("The body broke off, but its reader got \(error).")
        }
    }

#endif
