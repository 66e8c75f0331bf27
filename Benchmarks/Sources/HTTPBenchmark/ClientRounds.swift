import AsyncHTTPClient
import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Rounds

/// The cost of a message for its sender, compared with the same request on AsyncHTTPClient, and without a network.
enum ClientRounds {
    static let rounds = 15
    static let requests = 400
    static let encodings = 20_000

    static func call(port: Int) async throws {
        let query = LoadSpeakers(
            event: "let-swift-13",
            filter: SpeakerFilter(name: "Ada", minimumTalks: 2),
            order: .name,
            page: "start"
        )
        let url = "http://127.0.0.1:\(port)"
        guard let baseURL = URL(string: url) else { throw WrongAnswer() }
        let client = NIOHTTPClient()
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: client)
        let bare = AsyncHTTPClient.HTTPClient(eventLoopGroupProvider: .singleton)
        let subjects = [
            Measured("hand-written AsyncHTTPClient, JSONDecoder") {
                for _ in 0..<requests {
                    var request = HTTPClientRequest(
                        url: "\(url)/v1/events/let-swift-13/speakers?name=Ada&minimumTalks=2&order=name&page=start"
                    )
                    request.headers.add(name: "Accept", value: "application/json")
                    let response = try await bare.execute(request, timeout: .seconds(30))
                    guard response.status == .ok else { throw WrongAnswer() }
                    let body = try await response.body.collect(upTo: 16 * 1_024 * 1_024)
                    guard try JSONDecoder().decode(Speakers.self, from: Data(buffer: body)) == .sample else {
                        throw WrongAnswer()
                    }
                }
            },
            Measured("HTTPDispatcher on NIOHTTPClient") {
                for _ in 0..<requests {
                    guard try await dispatcher.dispatch(query) == .sample else { throw WrongAnswer() }
                }
            },
        ]
        let results = try await Rounds(rounds, subjects)
        try await client.shutdown()
        try await bare.shutdown()

        print("A query over one connection, \(requests) times a round; medians of \(rounds) rounds.")
        print("".padded(to: 42) + "us      ratio")
        let base = results[subjects[0].name]
        for subject in subjects {
            let time = results[subject.name]
            let each = (time * 1_000 / Double(requests)).text(1)
            print(subject.name.padded(to: 42) + each.padded(to: 8) + (time / base).text())
        }
        let ratio = results[subjects[1].name] / base
        printFigure("query through HTTPDispatcher / hand-written AsyncHTTPClient", ratio, atMost: 1.15)
    }

    /// Sends the query several times on one connection, and checks only the status.
    static func send(port: Int, count: Int) async throws {
        let client = AsyncHTTPClient.HTTPClient(eventLoopGroupProvider: .singleton)
        for _ in 0..<count {
            let request = HTTPClientRequest(
                url: "http://127.0.0.1:\(port)/v1/events/let-swift-13/speakers?order=name&page=start"
            )
            let response = try await client.execute(request, timeout: .seconds(60))
            guard response.status == .ok else { throw WrongAnswer() }
            _ = try await response.body.collect(upTo: 16 * 1_024 * 1_024)
        }
        try await client.shutdown()
    }

    /// Dispatches messages to a client that responds immediately, so that more than the encoding is measured.
    static func encode() async throws {
        guard let baseURL = URL(string: "https://api.example.com/") else { throw WrongAnswer() }
        let dispatcher = HTTPDispatcher(baseURL: baseURL, client: NothingToDo())
        let command = AddSpeaker.sample
        let removal = RemoveSpeakers(command)
        let rating = RateTalk(event: "let-swift-13", talk: 4, stars: 5, comment: "What I came for.")
        let encoder = JSONEncoder()
        let subjects = [
            Measured("four properties, JSONEncoder alone") {
                for _ in 0..<encodings { _ = try encoder.encode(rating) }
            },
            Measured("four properties as a JSON body") {
                for _ in 0..<encodings { try await dispatcher.dispatch(rating) }
            },
            Measured("ten properties, JSONEncoder alone") {
                for _ in 0..<encodings { _ = try encoder.encode(command) }
            },
            Measured("ten properties as a JSON body") {
                for _ in 0..<encodings { try await dispatcher.dispatch(command) }
            },
            Measured("ten properties as parameters of the query") {
                for _ in 0..<encodings { try await dispatcher.dispatch(removal) }
            },
        ]
        let results = try await Rounds(rounds, subjects)
        print("Messages as requests to a client that does nothing; medians of \(rounds) rounds.")
        for subject in subjects {
            let time = results[subject.name] * 1_000 / Double(encodings)
            print(subject.name.padded(to: 42) + "\(time.text()) us")
            if subject.name.hasSuffix("alone") { continue }
            printFigure("\(subject.name), in us", time, atMost: subject.name.hasSuffix("JSON body") ? 12 : 5)
        }
    }
}

struct WrongAnswer: Error {}

/// Responds to every request with 204.
private struct NothingToDo: DuetHTTP.HTTPClient {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        (HTTPResponse(status: .noContent), HTTPBody(Data()))
    }
}
