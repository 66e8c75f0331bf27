#if Cluster

    import DuetCluster
    import DuetClusterEngine
    import DuetTesting
    import Foundation

    extension ClusterEngineSubject {
        private static let route = "Contract.Echo"

        /// Serves a route, and returns the text of each request with a prefix.
        private func echo(_ node: ClusterNode, _ prefix: String = "") async throws -> any Registration {
            try await node.queries.serve(Self.route, limit: 64) { Envelope(prefix + $0.text) }
        }

        private func ask(
            _ node: ClusterNode,
            _ text: String = "",
            route: String = route,
            timeout: Duration = WaitLimit.current
        ) async throws -> String {
            // The query has to end by itself.
            try await within("a query ends", limit: timeout + WaitLimit.current) {
                try await node.queries.ask(route, Envelope(text), timeout: timeout).text
            }
        }

        private func askConcurrently(_ count: Int, _ client: ClusterNode, prefix: String) async throws {
            try await withThrowingTaskGroup { group in
                for number in 1...count {
                    group.addTask { [self] in
                        let response = try await ask(client, "\(number)")
                        try require(response, toBe: prefix + "\(number)", "the response to one of \(count) queries")
                    }
                }
                try await group.waitForAll()
            }
        }

        func answers() async throws {
            let (server, client) = try await twoNodes()
            _ = try await echo(server, "response to ")
            try await require(ask(client, "a"), toBe: "response to a", "the response to another node")
            try await require(ask(server, "b"), toBe: "response to b", "the response to the same node")
        }

        func carriesEnvelopes() async throws {
            let (server, client) = try await twoNodes()
            let requests = Observations<Envelope>()
            _ = try await server.queries.serve(Self.route, limit: 1) { request in
                requests.append(request)
                return request
            }
            for sample in Envelope.samples {
                let response = try await client.queries.ask(Self.route, sample, timeout: WaitLimit.current)
                try require(requests.all.last, toBe: sample, "the request")
                try require(response, toBe: sample, "the response")
            }
        }

        func servesAnyRoute() async throws {
            let (server, client) = try await twoNodes()
            let routes = [
                "a", "a.b", "a.*", "a.>", ">", "*", "a b", "", "A", "\u{3A9}", "$SYS", "a\r\nb", "a/b", "_INBOX.a",
            ]
            for route in routes {
                _ = try await server.queries.serve(route, limit: 1) { _ in Envelope("response of \(route)") }
            }
            // More than once, because routes that an engine confuses may be asked in the right order.
            for route in routes + routes.reversed() {
                let response = try await ask(client, route: route)
                try require(response, toBe: "response of \(route)", "the response of the route \"\(route)\"")
            }
            try await expect(TransportError.noNode(route: "a.c"), from: "a query to a route that is not served") {
                _ = try await ask(client, route: "a.c")
            }
        }

        func sharesQueries() async throws {
            let (one, two, client) = try await threeNodes()
            _ = try await echo(one, "1")
            _ = try await echo(two, "2")
            var counts: [String: Int] = [:]
            for _ in 1...200 { counts[try await ask(client), default: 0] += 1 }
            for server in ["1", "2"] where counts[server, default: 0] < 20 {
                throw ContractViolation("sharing: expected at least 20 of 200 queries for each node, found \(counts)")
            }
        }

        func answersConcurrently() async throws {
            let (one, two, client) = try await threeNodes()
            _ = try await echo(one, "of ")
            _ = try await echo(two, "of ")
            try await askConcurrently(500, client, prefix: "of ")
        }

        func reportsNoNode() async throws {
            let client = try await node()
            let start = ContinuousClock.now
            try await expect(TransportError.noNode(route: Self.route), from: "a query that no node serves") {
                _ = try await ask(client, timeout: WaitLimit.current * 2)
            }
            try require(start.duration(to: .now) < WaitLimit.current, "noNode is thrown at once")
        }

        func timesOut() async throws {
            let (server, client) = try await twoNodes()
            _ = try await server.queries.serve(Self.route, limit: 1) { _ in
                try? await Gate().pass()
                return Envelope()
            }
            let timeout = Duration.milliseconds(300)
            let start = ContinuousClock.now
            try await expect(
                TransportError.timedOut(route: Self.route, after: timeout),
                from: "a query without a response"
            ) {
                _ = try await ask(client, timeout: timeout)
            }
            let duration = start.duration(to: .now)
            guard duration >= timeout, duration < timeout + WaitLimit.current else {
                throw ContractViolation("a timeout of \(timeout): thrown after \(duration)")
            }
        }

        func cancelsHandlers() async throws {
            let (server, client) = try await twoNodes()
            let steps = Observations<String>()
            _ = try await server.queries.serve(Self.route, limit: 1) { _ in
                steps.append("began")
                try? await Gate().pass()
                steps.append(Task.isCancelled ? "canceled" : "not canceled")
                return Envelope()
            }
            let query = Task { try await ask(client) }
            try await steps.wait(1, "the handler begins")
            query.cancel()
            let result = try await result(of: query, "a canceled query ends")
            guard case .failure(is CancellationError) = result else {
                throw ContractViolation("a canceled query: expected CancellationError, found \(result)")
            }
            try await require(steps.wait(2, "the handler is canceled"), toBe: ["began", "canceled"], "the handler")
        }

        func limitsHandlers() async throws {
            let (server, client) = try await twoNodes()
            let steps = Observations<Int>()
            _ = try await server.queries.serve(Self.route, limit: 3) { request in
                steps.append(1)
                try? await ContinuousClock().sleep(for: .milliseconds(5))
                steps.append(-1)
                return request
            }
            try await askConcurrently(60, client, prefix: "")
            var running = 0
            var largest = 0
            for step in steps.all {
                running += step
                largest = max(largest, running)
            }
            try require(largest, toBe: 3, "the largest number of queries handled at the same time with a limit of 3")
        }

        func finishesQueries() async throws {
            let (server, client) = try await twoNodes()
            let (gate, steps) = (Gate(), Observations<String>())
            let served = try await server.queries.serve(Self.route, limit: 8) { request in
                if request.text == "slow" {
                    steps.append("began")
                    try? await gate.pass()
                    steps.append("handled")
                }
                return request
            }
            let query = Task { try await ask(client, "slow") }
            try await steps.wait(1, "the handler begins")
            Task {
                await served.stop()
                steps.append("stopped")
            }
            try await eventually("a stopped route has no node") {
                do {
                    _ = try await ask(client, timeout: .seconds(1))
                    return "a query is still answered"
                } catch TransportError.noNode {
                    return nil
                } catch TransportError.timedOut {
                    return "a query times out"
                }
            }
            // The time in which a stop that does not wait returns.
            try await ContinuousClock().sleep(for: .milliseconds(100))
            gate.open()
            let response = try await result(of: query, "a query to a stopped route ends").get()
            try require(response, toBe: "slow", "the response of a route that was stopped meanwhile")
            let all = try await steps.wait(3, "a route stops")
            try require(all, toBe: ["began", "handled", "stopped"], "the order of the handler and stop()")
        }

        func answersAfterStop() async throws {
            let (one, two, client) = try await threeNodes()
            let first = try await echo(one, "1")
            _ = try await echo(two, "2")
            await first.stop()
            for _ in 1...50 {
                try await require(ask(client), toBe: "2", "the node that answers after the other stopped")
            }
        }

        func answersAfterLoss() async throws {
            let (one, two, client) = try await threeNodes()
            let steps = Observations<Void>()
            _ = try await one.queries.serve(Self.route, limit: 8) { _ in
                steps.append(())
                try? await Gate().pass()
                return Envelope("1")
            }
            let query = Task { try await ask(client, timeout: .seconds(2)) }
            try await steps.wait(1, "the handler begins")
            _ = try await echo(two, "2")
            await one.disconnect()
            let result = try await result(of: query, "a query to a lost node ends")
            switch result {
            case .failure(TransportError.timedOut), .failure(TransportError.connectionLost): break
            default: throw ContractViolation("a query to a lost node: expected a temporary error, found \(result)")
            }
            for _ in 1...20 {
                try await eventually("the other node answers") {
                    do {
                        try require(
                            try await ask(client, timeout: .milliseconds(500)),
                            toBe: "2",
                            "the node that answers"
                        )
                        return nil
                    } catch let error as TransportError {
                        return "\(error)"
                    }
                }
            }
        }

        func refusesLargeQueries() async throws {
            let (server, client) = try await twoNodes()
            _ = try await server.queries.serve("request", limit: 1) { _ in Envelope() }
            let responses = Observations<Envelope>()
            _ = try await server.queries.serve("response", limit: 1) { _ in responses.all.last ?? Envelope() }
            try await expectLimit(of: "a request") { request in
                _ = try await client.queries.ask("request", request, timeout: WaitLimit.current)
            }
            try await expectLimit(of: "a response") { response in
                responses.append(response)
                let found = try await client.queries.ask("response", Envelope(), timeout: WaitLimit.current)
                try require(found == response, "a response of \(response.size) bytes arrives unchanged")
            }
        }
    }

#endif
