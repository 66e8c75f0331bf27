#if HTTP

    import DuetHTTP
    import Foundation
    import HTTPTypes

    /// A client under test and the origin that it asks.
    struct HTTPStreamingSubject {
        let origin: HeldOrigin
        let client: any HTTPClient

        private let request = HTTPRequest(method: .get, scheme: "https", authority: "server.example", path: "/a")

        init(origin: HeldOrigin, client: any HTTPClient) {
            self.origin = origin
            self.client = client
        }

        func streams() async throws {
            var reader = try await answer().makeAsyncIterator()
            try await expect(reader.next(), toBe: HeldOrigin.first, "the first piece")
            origin.gate.open()
            try await expect(reader.next(), toBe: HeldOrigin.rest, "the rest")
            try await expect(reader.next(), toBe: nil, "what follows the rest")
            try await expect(reader.next(), toBe: nil, "what follows the end")
        }

        func streamsUp() async throws {
            origin.gate.open()
            let body = HTTPBody(HeldPieces(gate: Gate(), error: nil, held: HeldBodies()))
            let command = HTTPRequest(method: .post, scheme: "https", authority: "server.example", path: "/a")
            let (response, _) = try await client.send(command, body: body)
            try expect(response.status, toBe: .ok, "the status")
            try expect(origin.pieces, toBe: [HeldOrigin.first], "what came of the body")
        }

        func breaks() async throws {
            var reader = try await answer().makeAsyncIterator()
            try await expect(reader.next(), toBe: HeldOrigin.first, "the first piece")
            origin.gate.open()
            do {
                let piece = try await reader.next()
                throw ContractViolation("The body broke off, and its reader got \(String(describing: piece)).")
            } catch let error as HTTPClientError {
                try expectBroken(error)
            }
        }

        func isCancelled() async throws {
            let body = try await answer()
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
            case .success(let piece): throw ContractViolation("A cancelled reader got \(String(describing: piece)).")
            case .failure(let error): throw ContractViolation("A cancelled reader got \(error).")
            }
            try await origin.isLetGo()
        }

        func stops() async throws {
            let body = try await answer()
            do {
                var reader = body.makeAsyncIterator()
                try await expect(reader.next(), toBe: HeldOrigin.first, "the first piece")
                try expect(origin.held, toBe: 1, "bodies that are held")
                withExtendedLifetime(reader) {}
            }
            try await origin.isLetGo()
            withExtendedLifetime(body) {}
        }

        func drops() async throws {
            do {
                let body = try await answer()
                try expect(origin.held, toBe: 1, "bodies that are held")
                withExtendedLifetime(body) {}
            }
            try await origin.isLetGo()
        }

        func sends() async throws {
            origin.gate.open()
            let (_, data) = try await client.data(for: request)
            try expect(data, toBe: HeldOrigin.first + HeldOrigin.rest, "the body")
            try await origin.isLetGo()
        }

        func breaksWhole() async throws {
            origin.gate.open()
            do {
                _ = try await client.data(for: request)
                throw ContractViolation("The body broke off, and was an answer.")
            } catch let error as HTTPClientError {
                try expectBroken(error)
            }
            try await origin.isLetGo()
        }

        private func answer() async throws -> HTTPBody {
            let (response, body) = try await client.send(request, body: nil)
            try expect(response.status, toBe: .ok, "the status")
            try expect(body.whole, toBe: nil, "what is there of the body before it comes")
            return body
        }

        private func expectBroken(_ error: HTTPClientError) throws {
            if case .connectionFailed(_, _, let underlying) = error.reason, underlying is HeldOrigin.Broken { return }
            throw ContractViolation("The body broke off, and its reader was told: \(error)")
        }
    }

#endif
