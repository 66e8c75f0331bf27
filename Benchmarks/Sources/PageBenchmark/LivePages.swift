import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Opens live pages of one image, posts a comment, and prints when it has reached them.
struct LivePages {
    let page: URL
    let count: Int

    func measure() async throws {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = count + 1
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let image = try await firstImage(client)
            var samples: [(first: Double, median: Double, last: Double)] = []
            // The first round warms up and is not counted.
            for round in 0...5 {
                let times = try await self.round(image, client).sorted()
                if round > 0 { samples.append((times[0], times[times.count / 2], times[times.count - 1])) }
            }
            let last = samples.map(\.last).sorted()[samples.count / 2]
            for (name, values) in [
                ("first", samples.map(\.first)), ("median", samples.map(\.median)), ("last", samples.map(\.last)),
            ] {
                print("A comment reaches the \(name) of \(count) live pages: \(Self.median(values)) ms.")
            }
            let outcome = last <= 250 ? "met" : "MISSED"
            print("= ms until a comment reaches all of \(count) live pages|\(Self.median([last]))|<= 250|\(outcome)")
            try await client.shutdown()
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    private static func median(_ values: [Double]) -> String {
        String(format: "%.0f", values.sorted()[values.count / 2])
    }

    func firstImage(_ client: HTTPClient) async throws -> String {
        let response = try await client.execute(HTTPClientRequest(url: page.absoluteString), timeout: .seconds(10))
        let text = String(buffer: try await response.body.collect(upTo: 1_048_576))
        guard let id = text.firstMatch(of: /data-id="([^"]+)"/)?.1 else { throw NoImage() }
        return String(id)
    }

    /// Returns the milliseconds from the post to the event of each page.
    private func round(_ image: String, _ client: HTTPClient) async throws -> [Double] {
        let marker = UUID().uuidString
        let (openings, opened) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: ContinuousClock.Instant.self) { group in
            for _ in 0..<count {
                group.addTask { try await arrival(of: marker, on: image, client) { opened.yield() } }
            }
            var waiting = openings.makeAsyncIterator()
            for _ in 0..<count { await waiting.next() }
            let start = ContinuousClock.now
            try await post(marker, on: image, client)
            var times: [Double] = []
            for try await arrival in group { times.append((arrival - start) / .milliseconds(1)) }
            return times
        }
    }

    /// Waits until a text has arrived on a live page.
    private func arrival(
        of marker: String,
        on image: String,
        _ client: HTTPClient,
        onOpen: () -> Void
    ) async throws -> ContinuousClock.Instant {
        let request = HTTPClientRequest(url: page.appending(path: "images/\(image)/live").absoluteString)
        let response = try await client.execute(request, timeout: .seconds(60))
        var text = ""
        var isOpen = false
        for try await piece in response.body {
            text += String(buffer: piece)
            if !isOpen, text.contains("data: ") {
                isOpen = true
                onOpen()
            }
            if text.contains(marker) { return .now }
        }
        throw StreamEnded()
    }

    private func post(_ marker: String, on image: String, _ client: HTTPClient) async throws {
        var request = HTTPClientRequest(url: page.appending(path: "images/\(image)/comments").absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "Sec-Fetch-Site", value: "same-origin")
        request.body = .bytes(ByteBuffer(string: "id=\(UUID())&username=ada&message=\(marker)"))
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .seeOther else { throw NotPosted(status: "\(response.status)") }
    }

    private struct NoImage: Error {}
    private struct StreamEnded: Error {}
    private struct NotPosted: Error { let status: String }
}
