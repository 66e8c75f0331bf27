import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// Types with arbitrary keys, which snake case would change irreversibly.
struct OpenKeyTests {
    struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    struct Labels: Codable, Hashable, ExpressibleByDictionaryLiteral {
        var texts: [String: String]

        init(dictionaryLiteral elements: (String, String)...) {
            texts = Dictionary(uniqueKeysWithValues: elements)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            texts = [:]
            for key in container.allKeys { texts[key.stringValue] = try container.decode(String.self, forKey: key) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            for (name, text) in texts { try container.encode(text, forKey: AnyKey(stringValue: name)) }
        }
    }

    struct Tag: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .post("tags")
        var labels: Labels = [:]
    }

    struct TagMany: HTTPCommand {
        static let route: CommandRoute<Self> = .post("many")
        var labels: [String: [Labels]] = [:]
    }

    struct LoadLabels: HTTPQuery { typealias Value = [Labels]; static let route: QueryRoute<Self> = .get("labels") }
    struct MapLabels: HTTPQuery {
        typealias Value = [String: Labels]?; static let route: QueryRoute<Self> = .get("map")
    }
    struct Names: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .post("names")
        var names: [String: String] = [:]
    }

    struct Mislabelled: HTTPProblem {
        static let problemType = "urn:mislabelled"
        var labels: Labels
        var status: HTTPResponse.Status { .conflict }
    }

    private let snake = HTTPSettings(coding: HTTPCoding(keys: .snakeCase))

    private func fault(_ endpoint: MessageAPI.Entry, _ settings: HTTPSettings) -> String? {
        do {
            _ = try HTTPAPI(settings) { endpoint }
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a message is refused with the place`() {
        #expect(
            fault(.open(Tag.self), snake) == """
                \(Tag.messageName) has keys of any name in labels, which cannot be read back from snake case. Make it a \
                dictionary, give it a CodingKey that is an enum, or set the coding's keys to .asWritten.
                """
        )
        #expect(fault(.open(TagMany.self), snake)?.contains("in labels[][],") == true)
    }

    @Test func `an invalid response is refused too, by a server and by a client`() async throws {
        let text = fault(.open(LoadLabels.self), snake)
        #expect(text?.contains("the payload of \(LoadLabels.messageName), has keys of any name in [],") == true)
        #expect(fault(.open(MapLabels.self), snake)?.contains("in [],") == true)
        let url = try BaseURL(#require(URL(string: "https://a.example")))
        let dispatcher = HTTPDispatcher(baseURL: url, client: SpyClient(.ok, "[]"), settings: snake)
        await #expect(throws: InvalidMessageAPI.self) { _ = try await dispatcher.dispatch(LoadLabels()) }
    }

    @Test func `a problem is refused too`() {
        let entry = MessageAPI.Entry.open(Names.self).inherit(nil, [Mislabelled.self])
        #expect(fault(entry, snake)?.hasPrefix("Mislabelled has keys of any name in labels") == true)
    }

    @Test func `keys as written are read back`() throws {
        #expect(fault(.open(LoadLabels.self), HTTPSettings()) == nil)
        let message = Tag(labels: ["someKey": "a", "some_key": "b", "": "c"])
        #expect(try Journey(Tag.self).end(of: message) == message)
    }

    @Test func `a dictionary is read back in every case`() throws {
        let message = Names(names: ["someKey": "a", "some_key": "b", "URLKey": "c"])
        #expect(try Journey(Names.self, settings: snake).end(of: message) == message)
    }
}
