import Duet
import DuetHTTP

// GET api/collections?fields=name, to which the response is 401 without a valid token.
struct LoadCollectionNames: HTTPQuery {
    struct Payload: Codable {
        struct Item: Codable {
            let name: String
        }

        let items: [Item]
    }

    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("api/collections")

    var fields = "name"

    static func value(from payload: Payload, answering query: Self) -> [String] { payload.items.map(\.name) }

    static func payload(from value: [String], answering query: Self) -> Payload {
        Payload(items: value.map(Payload.Item.init))
    }
}
