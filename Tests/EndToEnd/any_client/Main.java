import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

public class Main {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static void ask(String method, String url, String body) throws Exception {
        var publisher = body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(url)).method(method, publisher).build();
        var response = CLIENT.send(request, BodyHandlers.ofString());
        System.out.println(response.statusCode() + " " + response.body());
    }

    public static void main(String[] arguments) throws Exception {
        String one = System.getenv("ONE"), two = System.getenv("TWO");
        String httpbin = System.getenv("HTTPBIN"), moto = System.getenv("MOTO");
        ask("GET", one + "/text", "");
        ask("GET", two + "/text", "");
        ask("POST", httpbin + "/anything", "{\"name\": \"Ada\"}");
        ask("GET", httpbin + "/uuid", "");
        ask("PUT", moto + "/bucket-java", "");
        ask("GET", moto + "/", "");
        // The older client.
        try (var stream = new URL(one + "/text?older").openStream()) {
            System.out.print(new String(stream.readAllBytes()));
        }
    }
}
