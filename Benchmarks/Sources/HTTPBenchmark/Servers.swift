import Duet
import DuetHTTP
import DuetHummingbird
import Foundation
import Hummingbird
import NIOCore

/// The two servers that are compared: one mounts the query, the other has a hand-written route.
enum Servers {
    typealias OnRunning = @Sendable @concurrent (any Channel) async -> Void

    static let messages = MessageAPI("speakers", authorized: .open) { LoadSpeakers.self }

    static let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0))

    static func mounted(_ onServerRunning: @escaping OnRunning) throws -> some ApplicationProtocol {
        let router = Router()
        let dispatcher = try StandardDispatcher { LoadSpeakersHandler() }
        try router.mount(messages, dispatcher)
        return application(router, onServerRunning)
    }

    static func byHand(_ onServerRunning: @escaping OnRunning) -> some ApplicationProtocol {
        let router = Router()
        router.get("v1/events/:event/speakers") { request, context in
            let speakers = await LoadSpeakersHandler().handle(try query(request, context))
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(speakers)))
            )
        }
        return application(router, onServerRunning)
    }

    /// Reads the query from a request.
    static func query(_ request: Request, _ context: BasicRequestContext) throws -> LoadSpeakers {
        let parameters = request.uri.queryParameters
        guard let event = context.parameters.get("event")?.removingPercentEncoding,
            let order = parameters["order"].flatMap({ SpeakerOrder(rawValue: String($0)) })
        else { throw HTTPError(.badRequest) }
        return LoadSpeakers(
            event: event,
            filter: SpeakerFilter(
                name: parameters["name"].map { String($0) },
                minimumTalks: parameters["minimumTalks"].flatMap { Int($0) }
            ),
            order: order,
            page: parameters["page"].map { String($0) }
        )
    }

    static func application(
        _ router: Router<BasicRequestContext>,
        _ onServerRunning: @escaping OnRunning
    ) -> some ApplicationProtocol {
        Application(router: router, configuration: configuration, onServerRunning: onServerRunning)
    }
}

struct LoadSpeakersHandler: QueryHandler {
    func handle(_ query: LoadSpeakers) async -> Speakers { .sample }
}
